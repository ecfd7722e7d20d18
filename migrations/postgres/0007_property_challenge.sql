-- The kind of work that the puzzles of a property require: 'blake2b' or 'argon2id'.
ALTER TABLE properties ADD COLUMN challenge text COLLATE "C" NOT NULL DEFAULT 'blake2b';
