-- finds: ledger-weakened
CREATE FUNCTION stamp() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.idem_key := NEW.idem_key || clock_timestamp();
  RETURN NEW;
END
$$;
CREATE TRIGGER stamp BEFORE INSERT ON agent_actions FOR EACH ROW EXECUTE FUNCTION stamp();
