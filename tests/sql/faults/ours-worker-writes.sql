-- finds: ledger-bypassable
-- ours
CREATE ROLE worker LOGIN;
GRANT onlyonce_app TO worker;
GRANT UPDATE, DELETE ON onlyonce.actions TO worker;
