-- The ledger that the worker's wrong modes keep themselves: a row a reply.
CREATE TABLE replies (
  id text PRIMARY KEY,
  status text NOT NULL,
  recipient text NOT NULL,
  body text NOT NULL DEFAULT '',
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
