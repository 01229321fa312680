-- alone
-- What routines define when they are called.
CREATE TABLE "user" (id int, updated_at timestamptz);
CREATE TABLE doomed (id int);
CREATE FUNCTION touched() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.updated_at := now(); RETURN NEW; END $$;
CREATE FUNCTION keep_touched(which regclass, label text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE TRIGGER touched_%s BEFORE UPDATE ON %s FOR EACH ROW EXECUTE FUNCTION touched()', label, which);
  EXECUTE 'ALTER TABLE ' || which || ' ADD COLUMN ' || quote_ident(label) || ' int';
END
$$;
SELECT keep_touched('"user"', 'on'::text);
CREATE FUNCTION clear(text) RETURNS void LANGUAGE sql AS $$ DROP TABLE doomed; CREATE TABLE cleared (id int PRIMARY KEY) $$;
CREATE PROCEDURE make(n int) LANGUAGE plpgsql AS $$
DECLARE
  told int;
BEGIN
  CREATE TABLE made (id int UNIQUE);
  IF n > 0 THEN
    RETURN;
  END IF;
  PERFORM clear('all');
  INSERT INTO made VALUES (n);
END
$$;
CALL make(0);
DO $$ BEGIN PERFORM keep_touched('cleared', 'again'); END $$;
-- A temporary table stands before one of its name.
CREATE TEMP TABLE made AS SELECT 1 AS id;
ALTER TABLE made ADD COLUMN second int;
DROP TABLE made;
ALTER TABLE made ADD COLUMN third int;
-- What a query made has the columns that later statements name, and others.
CREATE TABLE told AS SELECT 1 AS id, 'a'::text AS name, now() AS at;
ALTER TABLE told ADD PRIMARY KEY (id), ALTER COLUMN name SET NOT NULL, ALTER at TYPE date, ADD COLUMN more text;
