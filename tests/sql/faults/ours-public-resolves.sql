-- finds: ledger-bypassable
-- ours
GRANT EXECUTE ON FUNCTION onlyonce.resolve(text, text, integer, text, text, text, text) TO PUBLIC;
