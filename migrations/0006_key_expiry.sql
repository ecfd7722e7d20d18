-- The last warning that was logged about a key's expiry: so many days before it expires; none yet where it is null.
ALTER TABLE api_keys ADD COLUMN expiry_warned_days INTEGER;
CREATE INDEX api_keys_by_expiry ON api_keys (expires_at) WHERE expires_at IS NOT NULL AND revoked_at IS NULL;
