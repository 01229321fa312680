-- finds: unread-statement
ALTER TABLE agent_actions FROBNICATE idem_key;
