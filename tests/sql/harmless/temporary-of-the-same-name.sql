-- A temporary table of the ledger's name is another.
CREATE TEMP TABLE agent_actions (tenant text);
TRUNCATE agent_actions;
DROP TABLE agent_actions;
