-- finds: ledger-weakened
-- live: nothing
CREATE TABLE requests (id bigint);
CREATE RULE forget AS ON DELETE TO requests DO ALSO DELETE FROM agent_actions WHERE id = OLD.id;
