-- The rules of each property, and of the installation (property_id 0), as a JSON array in the format of the API. Replaced as a whole.
CREATE TABLE rule_lists (
  property_id bigint PRIMARY KEY,
  revision bigint NOT NULL,
  changed_at bigint NOT NULL,
  rules text COLLATE "C" NOT NULL
);
-- Every rule of a list has a row.
CREATE TABLE rule_hits (
  rule_id text COLLATE "C" PRIMARY KEY,
  property_id bigint NOT NULL,
  hits bigint NOT NULL,
  -- Null if there has been none.
  last_hit_at bigint
);
CREATE INDEX rule_hits_by_property ON rule_hits (property_id);
CREATE FUNCTION delete_property_rules() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM rule_lists WHERE property_id = OLD.id;
  DELETE FROM rule_hits WHERE property_id = OLD.id;
  RETURN NULL;
END
$$;
CREATE TRIGGER properties_rules AFTER DELETE ON properties FOR EACH ROW EXECUTE FUNCTION delete_property_rules();
