//! What a database holds beside its system schemas and the migration tool's own table, as sorted lines.

use tokio_postgres::Client;

/// Tables that the tools keep their versions in.
const BOOKS: &str = "'_sqlx_migrations', 'refinery_schema_history', '__diesel_schema_migrations', \
     'schema_migrations', 'goose_db_version', 'flyway_schema_history'";

/// Everything that a migration of ours can make, with owners, rights, definitions and settings. Not the order of columns,
/// nor the names of NOT NULL constraints, which only 18 gives and which stay when a table is renamed: nothing rests on them.
const QUERY: &str = r"
WITH spaces AS (
    SELECT oid, nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'
), classes AS (
    SELECT c.*, nspname FROM pg_class c JOIN spaces s ON s.oid = c.relnamespace
    WHERE NOT EXISTS (
        SELECT FROM pg_class book LEFT JOIN pg_index i ON i.indrelid = book.oid LEFT JOIN pg_depend d
            ON d.refobjid = book.oid AND d.deptype IN ('a', 'i')
        WHERE book.relname IN (BOOKS) AND c.oid IN (book.oid, i.indexrelid, d.objid))
)
SELECT format('schema %s owner %s acl %s', nspname, nspowner::regrole, nspacl) AS line
    FROM pg_namespace WHERE oid IN (SELECT oid FROM spaces) AND nspname <> 'public'
UNION ALL SELECT format('relation %s.%s %s %s owner %s acl %s options %s rls %s partition %s', nspname, relname, relkind,
    relpersistence, relowner::regrole, relacl, reloptions, relrowsecurity, pg_get_expr(relpartbound, oid)) FROM classes
UNION ALL SELECT format('column %s.%s.%s %s null %s default %s collation %s generated %s identity %s acl %s', nspname,
    relname, attname, format_type(atttypid, atttypmod), NOT attnotnull, pg_get_expr(adbin, adrelid),
    attcollation::regcollation, attgenerated, attidentity, attacl)
    FROM classes c JOIN pg_attribute a ON a.attrelid = c.oid AND attnum > 0 AND NOT attisdropped
    LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
UNION ALL SELECT format('constraint %s.%s %s %s', nspname, relname, NULLIF(conname, CASE contype WHEN 'n' THEN conname END),
    pg_get_constraintdef(k.oid))
    FROM classes c JOIN pg_constraint k ON k.conrelid = c.oid
UNION ALL SELECT format('index %s', pg_get_indexdef(i.indexrelid)) FROM classes c JOIN pg_index i ON i.indexrelid = c.oid
UNION ALL SELECT format('trigger %s enabled %s', pg_get_triggerdef(t.oid), tgenabled)
    FROM classes c JOIN pg_trigger t ON t.tgrelid = c.oid AND NOT tgisinternal
UNION ALL SELECT format('view %s.%s %s', nspname, relname, pg_get_viewdef(oid)) FROM classes WHERE relkind IN ('v', 'm')
UNION ALL SELECT format('rule %s', pg_get_ruledef(r.oid)) FROM classes c JOIN pg_rewrite r ON r.ev_class = c.oid
UNION ALL SELECT format('routine %s owner %s acl %s', pg_get_functiondef(p.oid), proowner::regrole, proacl)
    FROM pg_proc p JOIN spaces s ON s.oid = p.pronamespace WHERE prokind <> 'a'
UNION ALL SELECT format('type %s.%s %s', nspname, typname, typtype)
    FROM pg_type t JOIN spaces s ON s.oid = t.typnamespace WHERE typrelid = 0 AND typelem = 0
UNION ALL SELECT format('default acl %s %s %s', defaclrole::regrole, defaclobjtype, defaclacl) FROM pg_default_acl
ORDER BY 1";

/// The catalog, then the rows of the ledger's own settings tables.
pub(crate) async fn lines(client: &Client, schema: &str) -> Vec<String> {
    let rows = client.query(&QUERY.replace("BOOKS", BOOKS), &[]).await.unwrap();
    let mut lines: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    for table in ["action_types", "inbound_sources"] {
        let there =
            client.query_one("SELECT to_regclass($1) IS NOT NULL", &[&format!("{schema}.{table}")]).await.unwrap();
        if there.get(0) {
            let rows = client.query(&format!("SELECT t::text FROM {schema}.{table} t ORDER BY 1"), &[]).await.unwrap();
            lines.extend(rows.iter().map(|row| format!("row of {table} {}", row.get::<_, String>(0))));
        }
    }
    lines
}
