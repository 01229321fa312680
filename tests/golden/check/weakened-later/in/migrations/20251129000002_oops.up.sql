ALTER TABLE onlyonce.actions DROP CONSTRAINT actions_sound;
