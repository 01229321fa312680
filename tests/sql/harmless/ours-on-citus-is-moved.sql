-- ours on citus
-- Where its shards lie is no guarantee.
SET citus.shard_replication_factor = 1;
ALTER TABLE onlyonce.actions SET (fillfactor = 70);
