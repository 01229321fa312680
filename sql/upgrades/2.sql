-- From ledger 1 to 2, and back. `{routines}` and `{gone}` are the routines and views that differ between the two texts;
-- see src/emit/upgrade.rs. Under traffic: a section takes strong locks on one table alone, the strongest first, since
-- workers lock tables in more than one order.
--: up roles=create,existing
SET ROLE ledger_schema_owner;
--: up
{routines}
{gone}
--: up roles=create,existing
RESET ROLE;
--: down roles=create,existing
SET ROLE ledger_schema_owner;
--: down
{routines}
{gone}
--: down roles=create,existing
RESET ROLE;
