-- live: nothing
-- ours
CREATE ROLE keeper_of_tables;
ALTER TABLE onlyonce.actions OWNER TO keeper_of_tables;
