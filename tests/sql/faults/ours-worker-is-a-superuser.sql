-- finds: ledger-bypassable
-- ours
CREATE ROLE fleet;
GRANT onlyonce_app TO fleet;
CREATE ROLE worker LOGIN SUPERUSER;
GRANT fleet TO worker;
