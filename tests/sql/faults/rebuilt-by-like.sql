-- finds: key-not-unique ledger-weakened status-unchecked transition-unguarded
ALTER TABLE agent_actions RENAME TO agent_actions_old;
CREATE TABLE agent_actions (LIKE agent_actions_old);
