-- ours
-- What a team may do beside our ledger.
CREATE TABLE orders (id bigint PRIMARY KEY, status text);
TRUNCATE orders;
ALTER TABLE onlyonce.actions SET (autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX actions_by_time ON onlyonce.actions (created_at);
CREATE ROLE worker;
GRANT onlyonce_app TO worker;
GRANT SELECT ON onlyonce.health TO onlyonce_monitor;
