ALTER TABLE onlyonce.actions DROP CONSTRAINT actions_key_kept;
