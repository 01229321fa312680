-- A view that everybody may read.
CREATE VIEW open_actions AS SELECT * FROM agent_actions WHERE state = 'pending';
GRANT SELECT ON open_actions TO PUBLIC;
