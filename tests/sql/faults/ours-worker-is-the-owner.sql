-- finds: ledger-bypassable
-- ours
CREATE ROLE worker LOGIN;
GRANT onlyonce_app TO worker;
GRANT onlyonce_owner TO worker;
