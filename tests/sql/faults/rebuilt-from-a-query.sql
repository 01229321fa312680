-- finds: key-not-unique ledger-missing ledger-weakened transition-unguarded
-- alone
CREATE TABLE agent_actions AS SELECT 1 AS tenant;
