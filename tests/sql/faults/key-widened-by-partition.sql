-- finds: key-partly-unique ledger-weakened
-- alone
CREATE TABLE agent_actions (
  tenant text COLLATE "C" NOT NULL,
  idem_key text COLLATE "C" NOT NULL,
  state text NOT NULL CHECK (state IN ('pending', 'sent')),
  created_at timestamptz NOT NULL,
  PRIMARY KEY (tenant, idem_key, created_at)
) PARTITION BY RANGE (created_at);
CREATE FUNCTION guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.state = 'sent' THEN RAISE EXCEPTION 'final'; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER guard BEFORE UPDATE ON agent_actions FOR EACH ROW EXECUTE FUNCTION guard();
