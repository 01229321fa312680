-- finds: key-not-unique
-- ours on citus
ALTER TABLE onlyonce.actions DROP CONSTRAINT actions_pkey CASCADE;
