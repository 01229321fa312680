CREATE TABLE carts (
    id uuid PRIMARY KEY,
    phone text NOT NULL,
    stripe_customer text NOT NULL,
    amount_cents bigint NOT NULL CHECK (amount_cents > 0),
    closed_at timestamptz
);

CREATE UNIQUE INDEX carts_open ON carts (phone) WHERE closed_at IS NULL;

CREATE TABLE prospects (
    domain text PRIMARY KEY,
    contact text NOT NULL,
    subject text NOT NULL,
    body text NOT NULL
);
