-- Who reads changes nothing.
CREATE VIEW waiting AS SELECT tenant, idem_key FROM agent_actions WHERE state = 'pending';
GRANT SELECT ON waiting TO PUBLIC;
GRANT SELECT ON agent_actions TO PUBLIC;
REVOKE INSERT, UPDATE ON agent_actions FROM agent;
