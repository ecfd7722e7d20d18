-- What was counted, by hour for 30 days, then by day. Property 0 is the installation: what belongs to no property that is
-- known. No reference to properties: a row may outlive its property by an hour.
CREATE TABLE statistics_hourly (
  -- Hours since 1970-01-01T00:00Z. First in the key: what is written together lies together, and so does what is old.
  hour INTEGER NOT NULL,
  property_id INTEGER NOT NULL,
  -- Pairs of varints: how many positions on, and the count there; see src/store/sqlite/counts.ts.
  counts BLOB NOT NULL,
  PRIMARY KEY (hour, property_id)
) WITHOUT ROWID;

CREATE TABLE statistics_daily (
  -- Days since 1970-01-01.
  day INTEGER NOT NULL,
  property_id INTEGER NOT NULL,
  counts BLOB NOT NULL,
  PRIMARY KEY (day, property_id)
) WITHOUT ROWID;
