CREATE TABLE accounts (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  email TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  password_hash TEXT,
  is_admin INTEGER NOT NULL,
  created_at INTEGER NOT NULL
);

CREATE TABLE organizations (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  owner_id INTEGER NOT NULL REFERENCES accounts (id),
  name TEXT NOT NULL,
  name_folded TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  deleted_at INTEGER
);
CREATE UNIQUE INDEX organizations_by_owner_and_name ON organizations (owner_id, name_folded) WHERE deleted_at IS NULL;

CREATE TABLE members (
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  created_at INTEGER NOT NULL,
  PRIMARY KEY (organization_id, account_id)
);
CREATE INDEX members_by_account ON members (account_id);

CREATE TABLE properties (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  name TEXT NOT NULL,
  name_folded TEXT NOT NULL,
  domain TEXT NOT NULL,
  sitekey TEXT NOT NULL UNIQUE,
  level INTEGER NOT NULL,
  growth TEXT NOT NULL,
  validity_seconds INTEGER NOT NULL,
  allows_subdomains INTEGER NOT NULL,
  allows_localhost INTEGER NOT NULL,
  allowance INTEGER NOT NULL,
  is_enabled INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  deleted_at INTEGER
);
CREATE UNIQUE INDEX properties_by_organization_and_name ON properties (organization_id, name_folded) WHERE deleted_at IS NULL;

CREATE TABLE api_keys (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  name TEXT NOT NULL,
  key_hash TEXT NOT NULL UNIQUE,
  scope TEXT NOT NULL,
  organization_id INTEGER REFERENCES organizations (id),
  is_read_only INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  created_at INTEGER NOT NULL
);
CREATE INDEX api_keys_by_account ON api_keys (account_id);

CREATE TABLE signing_keys (
  fingerprint BLOB PRIMARY KEY NOT NULL,
  secret BLOB NOT NULL,
  created_at INTEGER NOT NULL
);

CREATE TABLE installation (
  name TEXT PRIMARY KEY NOT NULL,
  value BLOB NOT NULL
);
