-- Longer than any sender repeats an event.
DELETE FROM webhook_events WHERE received_at < now() - interval '30 days';
