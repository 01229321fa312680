-- live: nothing
-- ours
CREATE INDEX actions_by_day ON onlyonce.actions (created_at);
CREATE VIEW public.today AS SELECT count(*) FROM onlyonce.actions;
CREATE FUNCTION public.told() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER told AFTER INSERT ON onlyonce.actions FOR EACH ROW EXECUTE FUNCTION public.told();
COMMENT ON TABLE onlyonce.actions IS 'the ledger';
ALTER TABLE onlyonce.actions SET (autovacuum_vacuum_cost_delay = 1);
CREATE ROLE analyst LOGIN;
GRANT USAGE ON SCHEMA onlyonce TO analyst;
GRANT SELECT ON onlyonce.actions TO analyst;
GRANT onlyonce_app TO analyst;
