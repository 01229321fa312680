-- finds: ledger-weakened
CREATE FUNCTION new_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT NEW.payload, gen_random_uuid()::text INTO NEW.payload, NEW.idem_key;
  RETURN NEW;
END $$;
CREATE TRIGGER new_key BEFORE INSERT ON agent_actions FOR EACH ROW EXECUTE FUNCTION new_key();
