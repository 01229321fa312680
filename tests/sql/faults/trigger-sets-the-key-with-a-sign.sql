-- finds: ledger-weakened
CREATE FUNCTION upper_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.payload IS NOT NULL THEN
    NEW.idem_key = upper(NEW.idem_key);
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER upper_key BEFORE INSERT ON agent_actions FOR EACH ROW EXECUTE FUNCTION upper_key();
