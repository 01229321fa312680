-- finds: unread-statement
-- live: ledger-weakened transition-unguarded
DO $$
DECLARE one text;
BEGIN
  FOR one IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
    EXECUTE 'ALTER TABLE ' || quote_ident(one) || ' DISABLE TRIGGER ALL';
  END LOOP;
END
$$;
