-- finds: key-generated
ALTER TABLE agent_actions ALTER COLUMN idem_key SET DEFAULT md5(clock_timestamp()::text);
