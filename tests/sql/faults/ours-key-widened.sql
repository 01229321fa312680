-- finds: key-partly-unique
-- ours
ALTER TABLE onlyonce.actions DROP CONSTRAINT actions_pkey;
ALTER TABLE onlyonce.actions ADD CONSTRAINT actions_pkey PRIMARY KEY (action_type, idempotency_key, attempt);
