-- live: ledger-bypassable
-- ours
GRANT EXECUTE ON FUNCTION onlyonce.purge(integer) TO PUBLIC;
