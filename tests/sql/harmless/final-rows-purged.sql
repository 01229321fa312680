CREATE FUNCTION purge() RETURNS void LANGUAGE sql AS $$
  DELETE FROM public.agent_actions WHERE state IN ('sent', 'failed') AND created_at < now() - interval '400 days';
  DELETE FROM webhook_events WHERE received_at < now() - interval '30 days'
$$;
