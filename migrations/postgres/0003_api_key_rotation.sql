-- The secret that the last rotation replaced. It works before `previous_until`.
ALTER TABLE api_keys
  ADD COLUMN previous_hash text COLLATE "C",
  ADD COLUMN previous_until bigint,
  ADD COLUMN previous_used_at bigint,
  ADD COLUMN previous_prefix text COLLATE "C",
  ADD COLUMN previous_last_four text COLLATE "C",
  ADD COLUMN rotated_at bigint,
  -- The first secret, so that the next start does not create a rotated secret of the configuration again.
  ADD COLUMN first_hash text COLLATE "C",
  -- The parts of the secret that lists show. Null for secrets that were created earlier.
  ADD COLUMN prefix text COLLATE "C",
  ADD COLUMN last_four text COLLATE "C",
  -- Whether the organization owns the key. `account_id` is then the user who created it.
  ADD COLUMN is_organization_owned boolean NOT NULL DEFAULT false;
UPDATE api_keys SET first_hash = key_hash;
CREATE UNIQUE INDEX api_keys_by_previous_hash ON api_keys (previous_hash) WHERE previous_hash IS NOT NULL;
CREATE UNIQUE INDEX api_keys_by_first_hash ON api_keys (first_hash) WHERE first_hash IS NOT NULL;
CREATE INDEX api_keys_owned_by_organization ON api_keys (organization_id, revoked_at, id) WHERE is_organization_owned;
CREATE INDEX api_keys_owned_by_account ON api_keys (account_id, revoked_at, id) WHERE NOT is_organization_owned;

-- Tasks that API keys of organizations started.
CREATE INDEX tasks_of_organization_keys ON tasks (organization_id, number) WHERE door = 'organization';
