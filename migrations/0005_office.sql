-- A disabled account cannot sign in, and its keys do not work.
ALTER TABLE accounts ADD COLUMN disabled_at INTEGER;

-- A key's own rate; without one the configured holds.
ALTER TABLE api_keys ADD COLUMN rate REAL;
ALTER TABLE api_keys ADD COLUMN burst INTEGER;
ALTER TABLE api_keys ADD COLUMN last_used_at INTEGER;

-- From where a task was asked for, for the audit log.
ALTER TABLE tasks ADD COLUMN door TEXT;
ALTER TABLE tasks ADD COLUMN address TEXT;

-- No references: an entry outlives what it speaks of.
CREATE TABLE audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  at INTEGER NOT NULL,
  account_id INTEGER,
  actor TEXT NOT NULL,
  door TEXT NOT NULL,
  address TEXT,
  action TEXT NOT NULL,
  organization_id INTEGER,
  subject TEXT NOT NULL,
  -- Actor and subject, folded, to be searched.
  words TEXT NOT NULL
);
CREATE INDEX audit_by_organization ON audit (organization_id, id);
CREATE INDEX audit_by_account ON audit (account_id, id);
CREATE INDEX audit_by_time ON audit (at);

-- The open ones; one that is accepted or withdrawn is deleted.
CREATE TABLE invitations (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  email TEXT NOT NULL,
  token_hash TEXT NOT NULL UNIQUE,
  inviter_id INTEGER NOT NULL REFERENCES accounts (id),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX invitations_by_organization_and_email ON invitations (organization_id, email);
CREATE INDEX invitations_by_inviter ON invitations (inviter_id);
CREATE INDEX invitations_by_expiry ON invitations (expires_at);
