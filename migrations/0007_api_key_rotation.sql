-- The secret that the last rotation replaced. It works before `previous_until`.
ALTER TABLE api_keys ADD COLUMN previous_hash TEXT;
ALTER TABLE api_keys ADD COLUMN previous_until INTEGER;
ALTER TABLE api_keys ADD COLUMN previous_used_at INTEGER;
ALTER TABLE api_keys ADD COLUMN previous_prefix TEXT;
ALTER TABLE api_keys ADD COLUMN previous_last_four TEXT;
ALTER TABLE api_keys ADD COLUMN rotated_at INTEGER;
CREATE UNIQUE INDEX api_keys_by_previous_hash ON api_keys (previous_hash) WHERE previous_hash IS NOT NULL;

-- The first secret, so that the next start does not create a rotated secret of the configuration again.
ALTER TABLE api_keys ADD COLUMN first_hash TEXT;
UPDATE api_keys SET first_hash = key_hash;
CREATE UNIQUE INDEX api_keys_by_first_hash ON api_keys (first_hash) WHERE first_hash IS NOT NULL;

-- The parts of the secret that lists show. Null for secrets that were created earlier.
ALTER TABLE api_keys ADD COLUMN prefix TEXT;
ALTER TABLE api_keys ADD COLUMN last_four TEXT;

-- Whether the organization owns the key. `account_id` is then the user who created it.
ALTER TABLE api_keys ADD COLUMN is_organization_owned INTEGER NOT NULL DEFAULT 0;
CREATE INDEX api_keys_owned_by_organization ON api_keys (organization_id, revoked_at, id) WHERE is_organization_owned = 1;
CREATE INDEX api_keys_owned_by_account ON api_keys (account_id, revoked_at, id) WHERE is_organization_owned = 0;

-- Tasks that API keys of organizations started.
CREATE INDEX tasks_of_organization_keys ON tasks (organization_id, number) WHERE door = 'organization';
