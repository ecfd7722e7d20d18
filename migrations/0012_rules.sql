-- The rules of each property, and of the installation (property_id 0), as a JSON array in the format of the API. Replaced as a whole.
CREATE TABLE rule_lists (
  property_id INTEGER PRIMARY KEY NOT NULL,
  revision INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  rules TEXT NOT NULL
);
-- Every rule of a list has a row.
CREATE TABLE rule_hits (
  rule_id TEXT PRIMARY KEY NOT NULL,
  property_id INTEGER NOT NULL,
  hits INTEGER NOT NULL,
  -- Null if there has been none.
  last_hit_at INTEGER
);
CREATE INDEX rule_hits_by_property ON rule_hits (property_id);
CREATE TRIGGER properties_rules AFTER DELETE ON properties BEGIN
  DELETE FROM rule_lists WHERE property_id = OLD.id;
  DELETE FROM rule_hits WHERE property_id = OLD.id;
END;
