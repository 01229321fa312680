-- finds: ledger-weakened
CREATE TABLE tenants (name text COLLATE "C" PRIMARY KEY);
ALTER TABLE agent_actions ADD FOREIGN KEY (tenant) REFERENCES tenants ON DELETE CASCADE;
