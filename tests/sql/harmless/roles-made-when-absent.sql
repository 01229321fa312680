DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'reader') THEN
    EXECUTE format('CREATE ROLE %I NOLOGIN', 'reader');
  END IF;
END
$$;
GRANT SELECT ON agent_actions TO reader;
