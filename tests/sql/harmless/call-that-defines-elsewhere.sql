-- A routine that is called makes tables of its own, and one that reads the ledger defines nothing.
CREATE FUNCTION part(of text, day date) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  CREATE TABLE reports (day date PRIMARY KEY);
  EXECUTE format('CREATE TABLE %I (LIKE reports INCLUDING ALL)', of);
END
$$;
SELECT part('reports_2026', now()::date);
CREATE FUNCTION waiting() RETURNS bigint LANGUAGE sql AS $$ SELECT count(*) FROM agent_actions WHERE state = 'pending' $$;
SELECT waiting();
