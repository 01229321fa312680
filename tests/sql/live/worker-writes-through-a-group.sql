-- live: ledger-bypassable
-- ours
CREATE ROLE fleet;
GRANT onlyonce_app TO fleet;
CREATE ROLE worker LOGIN;
GRANT fleet TO worker;
CREATE ROLE keepers;
GRANT TRUNCATE ON onlyonce.actions TO keepers;
GRANT keepers TO worker;
