-- finds: transition-unguarded ledger-weakened
-- live: transition-unguarded ledger-weakened
CREATE PROCEDURE quiet() LANGUAGE sql AS 'ALTER TABLE agent_actions DISABLE TRIGGER USER';
CALL quiet();
