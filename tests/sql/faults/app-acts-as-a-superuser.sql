-- finds: ledger-bypassable
CREATE ROLE boss SUPERUSER;
GRANT boss TO agent;
