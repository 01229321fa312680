-- A trigger that fires after a row is written cannot change it.
CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('actions', NEW.idem_key);
  RETURN NULL;
END
$$;
CREATE TRIGGER tell AFTER INSERT OR UPDATE ON agent_actions FOR EACH ROW EXECUTE FUNCTION tell();
