-- finds: ledger-weakened
CREATE FUNCTION purge() RETURNS void LANGUAGE sql AS $$
  DELETE FROM public.agent_actions WHERE created_at < now() - interval '30 days'
$$;
