-- How much each property is used. A background job computes the rows from the statistics; lists are sorted by them.
CREATE TABLE property_activity (
  property_id INTEGER PRIMARY KEY NOT NULL REFERENCES properties (id) ON DELETE CASCADE,
  organization_id INTEGER NOT NULL,
  -- The last hour (since 1970-01-01T00:00Z) that the row includes. 0: the row has not been computed yet.
  hour INTEGER NOT NULL,
  -- Puzzles in the 24 hours that end with this hour.
  issued INTEGER NOT NULL,
  -- Puzzles in this hour or the hour before, whichever had more.
  recent INTEGER NOT NULL,
  -- Whether these are many more than usual.
  is_spike INTEGER NOT NULL,
  -- The hour of the last verification. Null if there has been none.
  verified_hour INTEGER
);
INSERT INTO property_activity (property_id, organization_id, hour, issued, recent, is_spike)
  SELECT id, organization_id, 0, 0, 0, 0 FROM properties WHERE deleted_at IS NULL;
-- Every property that is not deleted has a row.
CREATE TRIGGER properties_created AFTER INSERT ON properties WHEN NEW.deleted_at IS NULL BEGIN
  INSERT INTO property_activity (property_id, organization_id, hour, issued, recent, is_spike)
    VALUES (NEW.id, NEW.organization_id, 0, 0, 0, 0);
END;
CREATE TRIGGER properties_deleted AFTER UPDATE OF deleted_at ON properties WHEN NEW.deleted_at IS NOT NULL BEGIN
  DELETE FROM property_activity WHERE property_id = NEW.id;
END;
CREATE TRIGGER properties_restored AFTER UPDATE OF deleted_at ON properties WHEN NEW.deleted_at IS NULL AND OLD.deleted_at IS NOT NULL BEGIN
  INSERT INTO property_activity (property_id, organization_id, hour, issued, recent, is_spike)
    VALUES (NEW.id, NEW.organization_id, 0, 0, 0, 0);
END;

CREATE INDEX property_activity_by_use ON property_activity (organization_id, issued, property_id);
CREATE INDEX property_activity_spikes ON property_activity (organization_id, property_id) WHERE is_spike = 1;
CREATE INDEX property_activity_unverified ON property_activity (organization_id, property_id) WHERE verified_hour IS NULL;
CREATE INDEX properties_disabled ON properties (organization_id, id) WHERE is_enabled = 0 AND deleted_at IS NULL;

-- In the tables of statistics, the negative id of an organization stands for all of its properties, and
-- -9007199254740991 for all properties of the installation.
