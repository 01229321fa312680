-- What another table refers to, and what refers to another without taking rows along.
CREATE TABLE tenants (name text PRIMARY KEY);
INSERT INTO tenants SELECT DISTINCT tenant FROM agent_actions;
ALTER TABLE agent_actions ADD FOREIGN KEY (tenant) REFERENCES tenants ON DELETE RESTRICT DEFERRABLE;
CREATE TABLE attempts (tenant text, idem_key text, FOREIGN KEY (tenant, idem_key) REFERENCES agent_actions (tenant, idem_key) ON DELETE CASCADE);
