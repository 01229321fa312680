-- A table that is called like the ledger's, in another schema, may be as it likes.
CREATE SCHEMA reporting;
CREATE UNLOGGED TABLE reporting.agent_actions (idem_key text, state text);
TRUNCATE reporting.agent_actions;
DROP TABLE reporting.agent_actions;
CREATE TABLE settings (k text);
DELETE FROM settings;
ALTER TABLE settings FROBNICATE;
