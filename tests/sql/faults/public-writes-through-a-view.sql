-- finds: ledger-bypassable
-- live: nothing
CREATE VIEW open_actions AS SELECT * FROM agent_actions WHERE state = 'pending';
GRANT UPDATE, DELETE ON open_actions TO PUBLIC;
