-- A login that works, and one that reads what people watch.
-- ours
CREATE ROLE worker LOGIN;
GRANT onlyonce_app TO worker;
CREATE ROLE reporter LOGIN;
GRANT onlyonce_monitor TO reporter;
