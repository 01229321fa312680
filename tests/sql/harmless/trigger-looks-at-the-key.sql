-- A trigger compares the key, and takes something else by it.
CREATE TABLE tenants (id text PRIMARY KEY, label text);
CREATE FUNCTION looks() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  found_label text;
BEGIN
  IF NEW.idem_key = '' OR NEW.state = 'lost' THEN
    RAISE EXCEPTION 'no key';
  END IF;
  SELECT label INTO found_label FROM tenants WHERE id = NEW.tenant;
  NEW.payload = jsonb_build_object('label', found_label, 'key', NEW.idem_key);
  RETURN NEW;
END $$;
CREATE TRIGGER looks BEFORE INSERT ON agent_actions FOR EACH ROW EXECUTE FUNCTION looks();
