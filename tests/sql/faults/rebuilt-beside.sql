-- finds: ledger-weakened transition-unguarded
-- LIKE copies keys and checks, and no trigger.
ALTER TABLE agent_actions RENAME TO agent_actions_old;
CREATE TABLE agent_actions (LIKE agent_actions_old INCLUDING ALL);
INSERT INTO agent_actions (tenant, idem_key, state) SELECT tenant, idem_key, state FROM agent_actions_old;
