-- finds: unread-statement
-- live: nothing
CREATE TABLE requests (id integer);
CREATE FUNCTION open_up() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN ALTER TABLE agent_actions DISABLE TRIGGER USER; RETURN NEW; END $$;
CREATE TRIGGER open_up BEFORE INSERT ON requests FOR EACH ROW EXECUTE FUNCTION open_up();
