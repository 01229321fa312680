-- What the database has, as statements that would make it, in an order in which they could run. $1: schemas of which all
-- is wanted; $2: tables that are wanted, with their schemas. The search path is empty, so that every name is whole.
WITH RECURSIVE
asked AS (
  SELECT c.oid FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p') AND (n.nspname::text = ANY ($1) OR n.nspname || '.' || c.relname = ANY ($2))
),
-- With partitions and children, wherever they are; depth puts each behind its parent.
families AS (
  SELECT a.oid, 0 AS depth FROM asked AS a
  UNION
  SELECT i.inhrelid, f.depth + 1 FROM families AS f JOIN pg_inherits AS i ON i.inhparent = f.oid WHERE f.depth < 32
),
tables AS (
  SELECT c.oid, pg_catalog.max(f.depth) AS depth, n.nspname, c.relname, c.relkind, c.relpersistence, c.relispartition,
    c.relrowsecurity, c.relforcerowsecurity, c.relowner, c.relacl, c.relpartbound, c.reloptions,
    pg_catalog.format('%I.%I', n.nspname, c.relname) AS name
  FROM families AS f JOIN pg_class AS c ON c.oid = f.oid JOIN pg_namespace AS n ON n.oid = c.relnamespace
  GROUP BY c.oid, n.nspname, c.relname, c.relkind, c.relpersistence, c.relispartition, c.relrowsecurity,
    c.relforcerowsecurity, c.relowner, c.relacl, c.relpartbound, c.reloptions
),
triggers AS (
  SELECT g.oid, g.tgname, g.tgenabled, g.tgfoid, g.tgparentid, t.name AS table_name, t.depth
  FROM pg_trigger AS g JOIN tables AS t ON t.oid = g.tgrelid
  -- Up to 14 what a partition has from its parent counts as internal.
  WHERE NOT g.tgisinternal OR (g.tgparentid <> 0 AND g.tgconstraint = 0)
),
routines AS (
  SELECT p.oid, p.proowner, p.proacl, n.nspname,
    pg_catalog.format('%I.%I(%s)', n.nspname, p.proname, pg_catalog.oidvectortypes(p.proargtypes)) AS name,
    CASE p.prokind WHEN 'p' THEN 'PROCEDURE' ELSE 'FUNCTION' END AS word
  FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace
  WHERE p.prokind IN ('f', 'p') AND (n.nspname::text = ANY ($1) OR p.oid IN (SELECT g.tgfoid FROM triggers AS g)
    -- What a default of a wanted table calls.
    OR p.oid IN (SELECT d.refobjid FROM pg_depend AS d JOIN pg_attrdef AS a ON a.oid = d.objid
      JOIN tables AS t ON t.oid = a.adrelid
      WHERE d.classid = 'pg_attrdef'::regclass AND d.refclassid = 'pg_proc'::regclass)
    -- What may write a wanted table.
    OR (n.nspname NOT IN ('pg_catalog', 'information_schema') AND EXISTS (
      SELECT FROM tables AS t WHERE pg_catalog.strpos(p.prosrc, t.relname) > 0)))
),
views AS (
  SELECT c.oid, c.relkind, c.relowner, c.relacl, pg_catalog.format('%I.%I', n.nspname, c.relname) AS name
  FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('v', 'm') AND n.nspname::text = ANY ($1)
),
-- Enumerations and domains of the columns.
types AS (
  SELECT DISTINCT y.oid, y.typtype, y.typbasetype, y.typtypmod, y.typnotnull, y.typcollation,
    pg_catalog.format('%I.%I', n.nspname, y.typname) AS name
  FROM tables AS t JOIN pg_attribute AS a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
  JOIN pg_type AS y ON y.oid = a.atttypid AND y.typtype IN ('e', 'd') JOIN pg_namespace AS n ON n.oid = y.typnamespace
),
rights AS (
  SELECT 'TABLE ' || t.name AS object, t.relowner AS owner, t.relacl AS list, ''::text AS part FROM tables AS t
  UNION ALL SELECT 'TABLE ' || v.name, v.relowner, v.relacl, '' FROM views AS v
  UNION ALL SELECT 'TABLE ' || t.name, t.relowner, a.attacl, pg_catalog.format(' (%I)', a.attname)
    FROM tables AS t JOIN pg_attribute AS a ON a.attrelid = t.oid AND a.attacl IS NOT NULL AND NOT a.attisdropped
  UNION ALL SELECT r.word || ' ' || r.name, r.proowner, r.proacl, '' FROM routines AS r
  UNION ALL SELECT pg_catalog.format('SCHEMA %I', n.nspname), n.nspowner, n.nspacl, ''
    FROM pg_namespace AS n WHERE n.nspname::text = ANY ($1)
),
given AS (
  SELECT g.object, g.part, x.privilege_type, x.grantee FROM rights AS g CROSS JOIN pg_catalog.aclexplode(g.list) AS x
  WHERE x.grantee <> g.owner
),
owners AS (
  SELECT t.relowner AS oid FROM tables AS t UNION SELECT r.proowner FROM routines AS r
  UNION SELECT v.relowner FROM views AS v
),
named AS (
  SELECT o.oid FROM owners AS o UNION SELECT g.grantee FROM given AS g WHERE g.grantee <> 0
),
-- From 16 on a membership may give nothing but the right to pass it on, as whoever makes a role has it.
memberships AS (
  SELECT m.member, m.roleid FROM pg_auth_members AS m
  WHERE COALESCE((pg_catalog.to_jsonb(m) ->> 'inherit_option')::boolean, true)
    OR COALESCE((pg_catalog.to_jsonb(m) ->> 'set_option')::boolean, true)
),
-- Who has rights, every role that is a member of one of them, and every role that one of these is a member of.
members AS (
  SELECT n.oid FROM named AS n
  UNION SELECT m.member FROM members AS r JOIN memberships AS m ON m.roleid = r.oid
),
roles AS (
  SELECT r.oid FROM members AS r
  UNION SELECT m.roleid FROM roles AS r JOIN memberships AS m ON m.member = r.oid
),
statements AS (
  SELECT 10 AS stage, r.rolname::text AS place, pg_catalog.format('CREATE ROLE %I%s%s%s', r.rolname,
    CASE WHEN r.rolsuper THEN ' SUPERUSER' ELSE '' END, CASE WHEN r.rolcanlogin THEN ' LOGIN' ELSE '' END,
    CASE WHEN r.rolbypassrls THEN ' BYPASSRLS' ELSE '' END) AS text
  FROM roles AS o JOIN pg_roles AS r ON r.oid = o.oid
  UNION ALL
  SELECT 11, r.rolname, pg_catalog.format('GRANT %I TO %I', g.rolname, r.rolname)
  FROM roles AS o JOIN memberships AS m ON m.member = o.oid JOIN pg_roles AS r ON r.oid = m.member
  JOIN pg_roles AS g ON g.oid = m.roleid
  UNION ALL
  SELECT 12, r.rolname, pg_catalog.format('ALTER ROLE %I SET %s = %L', r.rolname,
    pg_catalog.split_part(c.setting, '=', 1), pg_catalog.substr(c.setting, pg_catalog.strpos(c.setting, '=') + 1))
  FROM roles AS o JOIN pg_roles AS r ON r.oid = o.oid JOIN pg_db_role_setting AS s ON s.setrole = r.oid
    AND s.setdatabase IN (0, (SELECT d.oid FROM pg_database AS d WHERE d.datname = pg_catalog.current_database()))
  CROSS JOIN pg_catalog.unnest(s.setconfig) AS c (setting)
  -- The others are nobody's business: some hold secrets.
  WHERE pg_catalog.split_part(c.setting, '=', 1) IN ('session_replication_role', 'synchronous_commit')
  UNION ALL
  SELECT 20, n.nspname, pg_catalog.format('CREATE SCHEMA %I', n.nspname) FROM pg_namespace AS n
  WHERE n.nspname <> 'public' AND (n.nspname::text = ANY ($1)
    OR n.nspname IN (SELECT t.nspname FROM tables AS t) OR n.nspname IN (SELECT r.nspname FROM routines AS r))
  UNION ALL
  SELECT 30, y.name, CASE y.typtype
    WHEN 'e' THEN pg_catalog.format('CREATE TYPE %s AS ENUM (%s)', y.name, (SELECT
      pg_catalog.string_agg(pg_catalog.quote_literal(e.enumlabel), ', ' ORDER BY e.enumsortorder)
      FROM pg_enum AS e WHERE e.enumtypid = y.oid))
    ELSE pg_catalog.format('CREATE DOMAIN %s AS %s%s%s%s', y.name, pg_catalog.format_type(y.typbasetype, y.typtypmod),
      COALESCE((SELECT pg_catalog.format(' COLLATE %I', l.collname) FROM pg_collation AS l
        WHERE l.oid = y.typcollation AND l.collname <> 'default'), ''),
      CASE WHEN y.typnotnull THEN ' NOT NULL' ELSE '' END, (SELECT
        pg_catalog.string_agg(pg_catalog.format(' CONSTRAINT %I %s', k.conname, pg_catalog.pg_get_constraintdef(k.oid)), '')
        FROM pg_constraint AS k WHERE k.contypid = y.oid AND k.contype = 'c')) END
  FROM types AS y
  UNION ALL
  SELECT 40 + t.depth, t.name, CASE WHEN t.relispartition
    THEN pg_catalog.format('CREATE %sTABLE %s PARTITION OF %s %s%s', CASE t.relpersistence WHEN 'u' THEN 'UNLOGGED ' ELSE '' END,
      t.name, (SELECT i.inhparent::regclass FROM pg_inherits AS i WHERE i.inhrelid = t.oid),
      pg_catalog.pg_get_expr(t.relpartbound, t.oid),
      CASE t.relkind WHEN 'p' THEN ' PARTITION BY ' || pg_catalog.pg_get_partkeydef(t.oid) ELSE '' END)
    ELSE pg_catalog.format(E'CREATE %sTABLE %s (\n%s\n)%s%s', CASE t.relpersistence WHEN 'u' THEN 'UNLOGGED ' ELSE '' END,
      t.name, (SELECT pg_catalog.string_agg(pg_catalog.format('  %I %s%s%s%s', a.attname,
          pg_catalog.format_type(a.atttypid, a.atttypmod),
          CASE WHEN a.attcollation <> 0 AND a.attcollation <> y.typcollation
            THEN pg_catalog.format(' COLLATE %I', l.collname) ELSE '' END,
          CASE WHEN a.attidentity = 'a' THEN ' GENERATED ALWAYS AS IDENTITY'
            WHEN a.attidentity = 'd' THEN ' GENERATED BY DEFAULT AS IDENTITY'
            WHEN a.attgenerated <> '' THEN pg_catalog.format(' GENERATED ALWAYS AS (%s) STORED',
              pg_catalog.pg_get_expr(d.adbin, d.adrelid))
            WHEN d.oid IS NOT NULL THEN ' DEFAULT ' || pg_catalog.pg_get_expr(d.adbin, d.adrelid) ELSE '' END,
          -- A NOT NULL that was never checked for the rows that were there says nothing of them (18 and later).
          CASE WHEN a.attnotnull AND NOT EXISTS (SELECT FROM pg_constraint AS k WHERE k.conrelid = t.oid
            AND k.contype = 'n' AND k.conkey = ARRAY[a.attnum] AND NOT k.convalidated) THEN ' NOT NULL' ELSE '' END),
          E',\n' ORDER BY a.attnum)
        FROM pg_attribute AS a JOIN pg_type AS y ON y.oid = a.atttypid
        LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        LEFT JOIN pg_collation AS l ON l.oid = a.attcollation
        WHERE a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped),
      CASE t.relkind WHEN 'p' THEN ' PARTITION BY ' || pg_catalog.pg_get_partkeydef(t.oid) ELSE '' END,
      CASE WHEN t.reloptions IS NULL THEN '' ELSE pg_catalog.format(' WITH (%s)',
        pg_catalog.array_to_string(t.reloptions, ', ')) END) END
  FROM tables AS t
  UNION ALL
  SELECT 80, t.name, pg_catalog.format('ALTER TABLE %s INHERIT %s', t.name, i.inhparent::regclass)
  FROM tables AS t JOIN pg_inherits AS i ON i.inhrelid = t.oid WHERE NOT t.relispartition
  UNION ALL
  SELECT 81, t.name || k.conname, pg_catalog.format('ALTER TABLE %s%s ADD CONSTRAINT %I %s',
    -- The key of a partitioned table that lacks a part is not in force.
    CASE WHEN i.indisvalid OR i.indisvalid IS NULL THEN '' ELSE 'ONLY ' END, t.name, k.conname,
    pg_catalog.pg_get_constraintdef(k.oid))
  FROM tables AS t JOIN pg_constraint AS k ON k.conrelid = t.oid
  LEFT JOIN pg_index AS i ON i.indexrelid = k.conindid AND i.indrelid = t.oid
  WHERE k.contype IN ('p', 'u', 'c', 'f', 'x') AND k.conislocal
  UNION ALL
  SELECT 82, t.name || c.relname, CASE WHEN i.indisvalid AND i.indisready
    -- One that is valid has a part in each partition, which ONLY would deny.
    THEN pg_catalog.regexp_replace(pg_catalog.pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ')
    ELSE pg_catalog.format(E'-- %I was not built to its end, and is no index\nSELECT', c.relname) END
  FROM tables AS t JOIN pg_index AS i ON i.indrelid = t.oid JOIN pg_class AS c ON c.oid = i.indexrelid
  WHERE NOT EXISTS (SELECT FROM pg_constraint AS k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u', 'x'))
    AND NOT c.relispartition
  UNION ALL
  SELECT 83, r.name, pg_catalog.pg_get_functiondef(r.oid) FROM routines AS r
  UNION ALL
  SELECT 84, g.table_name || g.tgname, pg_catalog.pg_get_triggerdef(g.oid) FROM triggers AS g WHERE g.tgparentid = 0
  UNION ALL
  -- What is said of a whole holds for its parts, until it is said of them.
  SELECT 85, g.depth || g.table_name || g.tgname, pg_catalog.format('ALTER TABLE %s %s TRIGGER %I', g.table_name,
    CASE g.tgenabled WHEN 'A' THEN 'ENABLE ALWAYS' WHEN 'R' THEN 'ENABLE REPLICA' WHEN 'D' THEN 'DISABLE'
      ELSE 'ENABLE' END, g.tgname)
  FROM triggers AS g WHERE g.tgenabled <> 'O' OR g.tgparentid <> 0
  UNION ALL
  SELECT 86, t.name || w.rulename, pg_catalog.rtrim(pg_catalog.pg_get_ruledef(w.oid), ';')
  FROM tables AS t JOIN pg_rewrite AS w ON w.ev_class = t.oid WHERE w.ev_enabled <> 'D'
  UNION ALL
  SELECT 87, t.name, pg_catalog.format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', t.name)
  FROM tables AS t WHERE t.relrowsecurity
  UNION ALL
  SELECT 87, t.name, pg_catalog.format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', t.name)
  FROM tables AS t WHERE t.relforcerowsecurity
  UNION ALL
  SELECT 88, v.name, pg_catalog.format('CREATE %sVIEW %s AS %s', CASE v.relkind WHEN 'm' THEN 'MATERIALIZED ' ELSE '' END,
    v.name, pg_catalog.rtrim(pg_catalog.pg_get_viewdef(v.oid), ';')) FROM views AS v
  UNION ALL
  SELECT 89, t.name, pg_catalog.format('ALTER TABLE %s OWNER TO %I', t.name, pg_catalog.pg_get_userbyid(t.relowner))
  FROM tables AS t
  UNION ALL
  SELECT 90, r.name, pg_catalog.format('ALTER %s %s OWNER TO %I', r.word, r.name, pg_catalog.pg_get_userbyid(r.proowner))
  FROM routines AS r
  UNION ALL
  SELECT 91, r.name, pg_catalog.format('REVOKE ALL ON %s %s FROM PUBLIC', r.word, r.name) FROM routines AS r
  WHERE r.proacl IS NOT NULL AND NOT EXISTS (SELECT FROM pg_catalog.aclexplode(r.proacl) AS x WHERE x.grantee = 0)
  UNION ALL
  SELECT 92, g.object || g.grantee, pg_catalog.format('GRANT %s ON %s TO %s',
    pg_catalog.string_agg(g.privilege_type || g.part, ', ' ORDER BY g.privilege_type, g.part), g.object,
    CASE g.grantee WHEN 0 THEN 'PUBLIC' ELSE pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(g.grantee)) END)
  FROM given AS g GROUP BY g.object, g.grantee
  UNION ALL
  -- What every session begins with, unless its role has it otherwise.
  SELECT 93, s.name, pg_catalog.format('SET %I = %L', s.name, s.reset_val) FROM pg_settings AS s
  WHERE s.name IN ('fsync', 'full_page_writes', 'session_replication_role', 'synchronous_commit')
)
SELECT s.text FROM statements AS s ORDER BY s.stage, s.place, s.text
