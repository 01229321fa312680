-- The list of statuses goes on holding for another type of text.
ALTER TABLE agent_actions ALTER COLUMN state TYPE varchar(40);
