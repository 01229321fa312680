-- A domain refuses NULL and sorts by bytes, as the column did.
CREATE SCHEMA other;
CREATE DOMAIN other.text AS pg_catalog.text COLLATE "C" NOT NULL;
ALTER TABLE agent_actions ALTER COLUMN tenant DROP NOT NULL, ALTER COLUMN tenant TYPE other.text;
