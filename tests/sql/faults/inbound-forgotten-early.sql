-- finds: retention-too-short
CREATE FUNCTION forget() RETURNS void LANGUAGE sql AS $$
  DELETE FROM webhook_events WHERE received_at < now() - interval '1 day'
$$;
