-- finds: ledger-bypassable
CREATE FUNCTION reserve(k text) RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = public AS $$
  INSERT INTO agent_actions (tenant, idem_key, state) VALUES ('main', k, 'pending') ON CONFLICT DO NOTHING
$$;
REVOKE ALL ON FUNCTION reserve(text) FROM PUBLIC;
