-- finds: ledger-weakened
CREATE FUNCTION sieve() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.payload IS NULL THEN
    RETURN NULL;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER sieve BEFORE INSERT ON agent_actions FOR EACH ROW EXECUTE FUNCTION sieve();
