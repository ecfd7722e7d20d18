-- When attack mode ends, in milliseconds since 1970; 0 if it was never on or was ended early.
ALTER TABLE properties ADD COLUMN attack_until bigint NOT NULL DEFAULT 0;
ALTER TABLE organizations ADD COLUMN attack_until bigint NOT NULL DEFAULT 0;
