ALTER TABLE agent_actions ALTER COLUMN idem_key TYPE varchar(200) COLLATE "C";
