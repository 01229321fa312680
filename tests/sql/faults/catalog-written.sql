-- finds: ledger-weakened
-- live: nothing
UPDATE pg_trigger SET tgenabled = 'D' WHERE tgname = 'no_such_trigger';
