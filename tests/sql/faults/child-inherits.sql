-- finds: ledger-weakened
CREATE TABLE agent_actions_eu () INHERITS (agent_actions);
