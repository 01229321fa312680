-- live: ledger-weakened status-unchecked
-- ours
DO $$ DECLARE definition text := pg_get_constraintdef((SELECT oid FROM pg_constraint WHERE conname = 'actions_sound'));
BEGIN
  ALTER TABLE onlyonce.actions DROP CONSTRAINT actions_sound;
  EXECUTE 'ALTER TABLE onlyonce.actions ADD CONSTRAINT actions_sound ' || definition || ' NOT VALID';
END $$;
