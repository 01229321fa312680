-- alone
-- The names that PostgreSQL gives, and what follows a rename.
CREATE TABLE actions (
  id bigserial PRIMARY KEY,
  tenant varchar(20) NOT NULL,
  key text NOT NULL COLLATE "C" UNIQUE,
  status text CHECK (status IN ('a', 'b')),
  parent bigint REFERENCES actions,
  at timestamptz DEFAULT now(),
  amount numeric(10, 2),
  tags text[],
  span tstzrange,
  doubled int GENERATED ALWAYS AS (1 + 1) STORED,
  UNIQUE (tenant, key),
  CHECK (tenant <> key),
  CHECK (amount > 0),
  CHECK (amount < 10),
  CHECK (tenant <> key OR amount IS NULL),
  EXCLUDE USING gist (span WITH &&)
);
CREATE TABLE a_table_with_a_name_that_is_as_long_as_a_name_may_be_in_pg (
  a_column_with_a_name_that_is_as_long_as_a_name_may_be_in_postgr text UNIQUE CHECK (a_column_with_a_name_that_is_as_long_as_a_name_may_be_in_postgr <> '')
);
CREATE INDEX ON actions (lower(key), at);
CREATE INDEX ON actions (at) WHERE tenant IS NOT NULL;
CREATE INDEX ON actions ((amount + 1));
CREATE UNIQUE INDEX ON actions (at DESC NULLS LAST, amount);
ALTER TABLE actions RENAME COLUMN tenant TO customer;
ALTER TABLE actions RENAME TO acts;
ALTER TABLE acts ADD UNIQUE (customer), ADD COLUMN extra int CHECK (extra > 0), ADD CHECK (extra < 9);
ALTER INDEX actions_key_key RENAME TO key_is_unique;
-- A UNIQUE that says again what a key of the same statement says is none of its own.
CREATE TABLE said_twice (a int PRIMARY KEY, b int UNIQUE, c int, UNIQUE (a), CONSTRAINT b_once UNIQUE (b), UNIQUE (b, a));
CREATE TABLE named_by_it (a int PRIMARY KEY, CONSTRAINT a_once UNIQUE (a));
ALTER TABLE said_twice ADD COLUMN d int UNIQUE UNIQUE, ADD UNIQUE (c), ADD UNIQUE (c);
