-- finds: ledger-weakened
CREATE FUNCTION start_over() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  TRUNCATE agent_actions;
  RETURN NULL;
END $$;
