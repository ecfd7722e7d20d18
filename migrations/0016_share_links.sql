-- Links to the dashboard of a property for people without an account.
CREATE TABLE share_links (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  property_id INTEGER NOT NULL REFERENCES properties (id) ON DELETE CASCADE,
  token_hash TEXT NOT NULL UNIQUE,
  last_four TEXT NOT NULL,
  creator_id INTEGER NOT NULL REFERENCES accounts (id),
  created_at INTEGER NOT NULL,
  -- Null if the link does not expire.
  expires_at INTEGER
);
CREATE INDEX share_links_by_property ON share_links (property_id);
CREATE INDEX share_links_by_creator ON share_links (creator_id);
