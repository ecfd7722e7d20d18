-- How often the secret for offline verification of a property was replaced.
ALTER TABLE properties ADD COLUMN offline_rotations integer NOT NULL DEFAULT 0;
