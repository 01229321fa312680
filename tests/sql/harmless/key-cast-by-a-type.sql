-- A cast gives the same key.
ALTER TABLE agent_actions ALTER COLUMN idem_key TYPE varchar(200) COLLATE "C" USING (idem_key)::varchar(200),
  ALTER COLUMN tenant TYPE varchar(200) COLLATE "C" USING CAST(tenant AS varchar(200)),
  ALTER COLUMN payload TYPE text USING payload ->> 'body';
