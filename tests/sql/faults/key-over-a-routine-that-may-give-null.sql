-- finds: key-partly-unique
CREATE FUNCTION folded(text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT substring($1 from 'order-(.*)') $$;
ALTER TABLE agent_actions DROP CONSTRAINT agent_actions_key;
CREATE UNIQUE INDEX agent_actions_key ON agent_actions (tenant, folded(idem_key));
