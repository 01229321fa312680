-- finds: ledger-missing
-- alone
-- live: ledger-missing
CREATE TEMP TABLE agent_actions (tenant text, idem_key text, state text);
