-- finds: ledger-bypassable ledger-weakened
-- ours
ALTER FUNCTION onlyonce.record(text, text, uuid, text, text, jsonb, text) RESET search_path;
