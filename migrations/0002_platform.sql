ALTER TABLE accounts ADD COLUMN plan TEXT NOT NULL DEFAULT 'default';

CREATE TABLE plans (
  name TEXT PRIMARY KEY NOT NULL,
  organizations INTEGER NOT NULL,
  properties INTEGER NOT NULL
);

-- The number orders one account's tasks; clients know the id.
CREATE TABLE tasks (
  number INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  id TEXT NOT NULL UNIQUE,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  -- The key that started it, and its limit.
  key_id INTEGER REFERENCES api_keys (id),
  organization_id INTEGER REFERENCES organizations (id),
  task_order TEXT NOT NULL,
  lease TEXT,
  leased_until INTEGER,
  failures INTEGER NOT NULL DEFAULT 0,
  results TEXT,
  created_at INTEGER NOT NULL,
  finished_at INTEGER
);
CREATE INDEX tasks_unfinished ON tasks (account_id, number) WHERE finished_at IS NULL;
CREATE INDEX tasks_by_account ON tasks (account_id, number);
CREATE INDEX tasks_by_key ON tasks (key_id);
CREATE INDEX tasks_finished ON tasks (finished_at) WHERE finished_at IS NOT NULL;

-- Pages of a list in the order of creation; those by name have the unique index.
CREATE INDEX properties_by_organization ON properties (organization_id, id) WHERE deleted_at IS NULL;
-- What is to be purged.
CREATE INDEX properties_deleted ON properties (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX organizations_deleted ON organizations (deleted_at) WHERE deleted_at IS NOT NULL;
