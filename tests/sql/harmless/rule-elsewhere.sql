-- A rule of another table that reads the ledger.
CREATE TABLE requests (id bigint, state text);
CREATE RULE told AS ON DELETE TO requests DO ALSO UPDATE requests SET state = (SELECT max(state) FROM agent_actions);
