-- finds: key-not-unique
-- ours
ALTER TABLE onlyonce.actions DROP CONSTRAINT actions_pkey;
