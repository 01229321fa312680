-- finds: unread-statement
-- live: nothing
CREATE FUNCTION rebuild(of text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN EXECUTE 'ALTER TABLE ' || of || ' SET (fillfactor = ' || length(of) || ')'; END $$;
DO $$ BEGIN PERFORM rebuild('agent' || '_actions'); END $$;
