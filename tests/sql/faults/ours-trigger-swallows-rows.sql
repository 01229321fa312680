-- finds: ledger-weakened
-- ours
CREATE FUNCTION quiet() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER quiet BEFORE INSERT ON onlyonce.actions FOR EACH ROW EXECUTE FUNCTION quiet();
