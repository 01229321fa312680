-- finds: unread-statement
-- live: nothing
CREATE FUNCTION statement() RETURNS text LANGUAGE sql AS $$ SELECT 'SELECT' || ' 1' $$;
DO $$
DECLARE
  one record;
BEGIN
  FOR one IN EXECUTE statement() LOOP
    NULL;
  END LOOP;
END
$$;
