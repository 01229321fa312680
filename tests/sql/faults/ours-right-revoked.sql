-- finds: ledger-weakened
-- ours
REVOKE EXECUTE ON FUNCTION onlyonce.accept_event(text, text, uuid, jsonb, timestamptz) FROM onlyonce_app;
