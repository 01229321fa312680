-- finds: ledger-weakened transition-unguarded
-- ours
CREATE OR REPLACE FUNCTION onlyonce.guard_action_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RETURN NEW;
END
$$;
