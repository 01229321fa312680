-- alone
CREATE TABLE types (
  a timestamp, b timestamp(3), c timestamptz(3), d timestamptz[], e timestamp without time zone[],
  f time, g timetz(2), h time with time zone,
  i char, j char(36), k character(4)[], l character varying(9), m varchar[], n national character varying(3), o nchar(2),
  p numeric(39), q decimal(10, 2), r numeric, s dec(7)[],
  t bit, u bit(3), v varbit(8), w bit varying,
  x float, y float(24), z float(25), aa float4, ab float8[], ac double precision,
  ad int[], ae int2, af int8 ARRAY, ag bool,
  ah interval day to second,
  ai text DEFAULT NULL, aj text DEFAULT NULL::text, ak text DEFAULT 'null'
);
ALTER TABLE types ALTER a SET DEFAULT now(), ALTER b SET DEFAULT NULL;
ALTER TABLE types ADD al timestamp DEFAULT (NULL), ALTER ak SET DATA TYPE char(7);
CREATE FUNCTION named(one double precision, two character varying, three timestamp without time zone, four time, five bit(3))
RETURNS int LANGUAGE sql RETURN 1;
CREATE FUNCTION unnamed(double precision, character varying, timestamp with time zone, time, bit varying)
RETURNS int LANGUAGE sql RETURN 1;
-- What is of a type stays so under the type's next name.
CREATE TYPE state AS ENUM ('new', 'sent');
CREATE TYPE "State old" AS ENUM ('a');
CREATE DOMAIN short AS text CHECK (length(value) < 9);
CREATE TABLE typed (a state, b state[], c short, d "State old"[], e public.state);
CREATE FUNCTION takes(one state, two state[], three int) RETURNS int LANGUAGE sql RETURN 1;
REVOKE ALL ON FUNCTION takes FROM PUBLIC;
ALTER TYPE state RENAME TO "Phase";
ALTER TYPE "State old" RENAME TO state;
ALTER TYPE state RENAME VALUE 'a' TO 'b';
ALTER DOMAIN short RENAME TO brief;
CREATE SCHEMA elsewhere;
ALTER TYPE state SET SCHEMA elsewhere;
ALTER TABLE typed DROP COLUMN e, DROP COLUMN d;
