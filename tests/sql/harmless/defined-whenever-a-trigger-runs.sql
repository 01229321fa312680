-- A trigger makes tables of its own, and only reads the ledger.
CREATE TABLE requests (id integer);
CREATE FUNCTION noted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  CREATE TEMP TABLE IF NOT EXISTS noted AS SELECT state FROM agent_actions LIMIT 0;
  EXECUTE format('INSERT INTO noted SELECT state FROM agent_actions WHERE id = %L', NEW.id);
  RETURN NEW;
END $$;
CREATE TRIGGER noted BEFORE INSERT ON requests FOR EACH ROW EXECUTE FUNCTION noted();
