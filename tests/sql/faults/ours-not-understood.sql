-- finds: unread-statement
-- ours
DO $$ BEGIN EXECUTE format('ALTER TABLE onlyonce.%I SET UNLOGGED', current_setting('x')); END $$;
