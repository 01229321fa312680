CREATE TABLE tenants (name text COLLATE "C" PRIMARY KEY);
ALTER TABLE agent_actions ADD CONSTRAINT agent_actions_tenant FOREIGN KEY (tenant) REFERENCES tenants (name) ON DELETE RESTRICT;
