-- finds: ledger-bypassable
CREATE ROLE deployer;
ALTER TABLE agent_actions OWNER TO deployer;
REASSIGN OWNED BY deployer TO agent;
