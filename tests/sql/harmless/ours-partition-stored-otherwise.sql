-- ours in partitions
-- How full its pages are is for who runs the database to choose.
ALTER TABLE onlyonce.actions_1 SET (fillfactor = 60, autovacuum_vacuum_cost_delay = 0);
