CREATE TABLE offers (id bigint PRIMARY KEY);
