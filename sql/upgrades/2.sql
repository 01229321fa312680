-- From ledger 1 to 2, and back; src/emit/upgrade.rs says what the braces stand for. Each step is a migration of its own,
-- and takes strong locks on one table alone: workers lock tables in more than one order.

--: up roles=create,existing
SET ROLE ledger_schema_owner;
--: up
{new_routines}
{routines}
{gone}
--: up roles=create,existing
RESET ROLE;

--: down roles=create,existing
SET ROLE ledger_schema_owner;
--: down
{new_routines}
{routines}
{gone}
--: down roles=create,existing
RESET ROLE;
