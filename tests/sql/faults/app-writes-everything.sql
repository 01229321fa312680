-- finds: ledger-bypassable
CREATE ROLE writers;
GRANT pg_write_all_data TO writers;
GRANT writers TO agent;
