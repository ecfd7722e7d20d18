-- Only the hash of a session's secret is kept; the browser has the secret.
CREATE TABLE sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  secret_hash TEXT NOT NULL UNIQUE,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  awaits_code INTEGER NOT NULL,
  address TEXT NOT NULL,
  browser TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL,
  confirmed_at INTEGER NOT NULL
);
CREATE INDEX sessions_by_account ON sessions (account_id, address);
CREATE INDEX sessions_by_seen ON sessions (seen_at);
CREATE INDEX sessions_by_creation ON sessions (created_at);

-- The secret is sealed with a key of the installation. Codes of steps up to the last one are spent.
CREATE TABLE second_factors (
  account_id INTEGER PRIMARY KEY NOT NULL REFERENCES accounts (id),
  sealed BLOB NOT NULL,
  is_confirmed INTEGER NOT NULL,
  -- The session that began it, which alone sees it before it is confirmed. No reference: sessions end.
  session_id INTEGER NOT NULL,
  last_step INTEGER NOT NULL,
  created_at INTEGER NOT NULL
);

-- A code that was spent is gone.
CREATE TABLE recovery_codes (
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  code_hash TEXT NOT NULL,
  PRIMARY KEY (account_id, code_hash)
);
