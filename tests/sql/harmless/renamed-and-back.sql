ALTER TABLE agent_actions RENAME TO acts;
ALTER TABLE acts RENAME COLUMN idem_key TO k;
ALTER TABLE acts RENAME COLUMN k TO idem_key;
ALTER TABLE acts RENAME TO agent_actions;
