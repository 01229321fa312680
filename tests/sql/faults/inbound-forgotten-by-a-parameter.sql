-- finds: retention-unstated
CREATE FUNCTION forget(age interval) RETURNS void LANGUAGE sql AS $$
  DELETE FROM webhook_events WHERE received_at < now() - age
$$;
