-- finds: key-not-unique
-- ours in partitions
ALTER TABLE onlyonce.actions DROP CONSTRAINT actions_pkey;
