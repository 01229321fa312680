-- finds: ledger-bypassable
-- ours
CREATE ROLE worker LOGIN;
GRANT onlyonce_app TO worker;
ALTER FUNCTION onlyonce.sweep(integer) OWNER TO worker;
