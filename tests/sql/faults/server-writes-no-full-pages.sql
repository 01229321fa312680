-- finds: ledger-weakened
-- live: nothing
ALTER SYSTEM SET full_page_writes = off;
