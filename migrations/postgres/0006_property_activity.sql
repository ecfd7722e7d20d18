-- How much each property is used. A background job computes the rows from the statistics; lists are sorted by them.
CREATE TABLE property_activity (
  property_id bigint PRIMARY KEY REFERENCES properties (id) ON DELETE CASCADE,
  organization_id bigint NOT NULL,
  -- The last hour (since 1970-01-01T00:00Z) that the row includes. 0: the row has not been computed yet.
  hour bigint NOT NULL,
  -- Puzzles in the 24 hours that end with this hour.
  issued bigint NOT NULL,
  -- Puzzles in this hour or the hour before, whichever had more.
  recent bigint NOT NULL,
  -- Whether these are many more than usual.
  is_spike boolean NOT NULL,
  -- The hour of the last verification. Null if there has been none.
  verified_hour bigint
);
INSERT INTO property_activity (property_id, organization_id, hour, issued, recent, is_spike)
  SELECT id, organization_id, 0, 0, 0, false FROM properties WHERE deleted_at IS NULL;
-- Every property that is not deleted has a row.
CREATE FUNCTION update_property_activity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.deleted_at IS NULL THEN
    INSERT INTO property_activity (property_id, organization_id, hour, issued, recent, is_spike)
      VALUES (NEW.id, NEW.organization_id, 0, 0, 0, false) ON CONFLICT DO NOTHING;
  ELSE
    DELETE FROM property_activity WHERE property_id = NEW.id;
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER properties_activity AFTER INSERT OR UPDATE OF deleted_at ON properties
  FOR EACH ROW EXECUTE FUNCTION update_property_activity();

CREATE INDEX property_activity_by_use ON property_activity (organization_id, issued, property_id);
CREATE INDEX property_activity_spikes ON property_activity (organization_id, property_id) WHERE is_spike;
CREATE INDEX property_activity_unverified ON property_activity (organization_id, property_id) WHERE verified_hour IS NULL;
CREATE INDEX properties_disabled ON properties (organization_id, id) WHERE NOT is_enabled AND deleted_at IS NULL;

-- In the tables of statistics, the negative id of an organization stands for all of its properties, and
-- -9007199254740991 for all properties of the installation.
