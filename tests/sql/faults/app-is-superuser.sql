-- finds: ledger-bypassable
ALTER ROLE agent SUPERUSER;
