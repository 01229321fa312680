-- finds: key-not-unique
ALTER TABLE agent_actions DROP COLUMN tenant;
ALTER TABLE agent_actions ADD COLUMN tenant text COLLATE "C" NOT NULL DEFAULT 'main';
