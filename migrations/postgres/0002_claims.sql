-- The number of presentations of each puzzle, in seconds since 1970-01-01T00:00Z. Puzzles that are presented at about the same time
-- expire at about the same time, so inserts touch adjacent pages of the index, and a purge deletes from one end.
-- Vacuum follows the purges, so that the space of deleted rows is used again: after 100,000 rows, and without pauses.
CREATE TABLE claims (
  expires_at bigint NOT NULL,
  puzzle_id bytea NOT NULL,
  presentations integer NOT NULL,
  PRIMARY KEY (expires_at, puzzle_id)
) WITH (
  autovacuum_vacuum_threshold = 100000,
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_cost_delay = 0
);

-- The results of requests with an idempotency key.
CREATE TABLE repeats (
  hash bytea PRIMARY KEY,
  expires_at bigint NOT NULL,
  presentations integer NOT NULL,
  max_count bigint NOT NULL
);
CREATE INDEX repeats_by_expiration ON repeats (expires_at);

-- The time of the last purge for each signing key, which only rises.
CREATE TABLE purged (
  fingerprint bigint PRIMARY KEY,
  expired_before bigint NOT NULL
);

-- Counts a group of claims. `expirations` has one element for each claim, and `ids` has 8 bytes. Equal claims count together.
--
-- counted: the number of different puzzles
-- repeated: the puzzles that were presented more than once, as EXPIRATION:ID:PRESENTATIONS, separated by commas
-- purges: the rows of `purged`, as FINGERPRINT:EXPIRED_BEFORE, separated by commas
--
-- The order of the rows prevents deadlocks. The second statement must follow the first one; see src/storage/postgres/ledger/claims.ts.
CREATE FUNCTION claim_puzzles(expirations bigint[], ids bytea, OUT counted bigint, OUT repeated text, OUT purges text)
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  WITH stored AS (
    INSERT INTO claims AS known (expires_at, puzzle_id, presentations)
    SELECT expiration, substring(ids FROM 8 * ordinal::integer - 7 FOR 8), count(*)
    FROM unnest(expirations) WITH ORDINALITY AS given (expiration, ordinal)
    GROUP BY 1, 2
    ORDER BY 1, 2
    ON CONFLICT (expires_at, puzzle_id)
    DO UPDATE SET presentations = known.presentations + excluded.presentations
    RETURNING expires_at, puzzle_id, presentations
  )
  SELECT
    count(*),
    string_agg(expires_at || ':' || encode(puzzle_id, 'hex') || ':' || presentations, ',')
      FILTER (WHERE presentations > 1)
  INTO counted, repeated
  FROM stored;
  SELECT string_agg(fingerprint || ':' || expired_before, ',') INTO purges FROM purged;
END
$$;

-- Identifies the table of claims. A restored copy has another identity, because it belongs to another database or is another table.
CREATE FUNCTION claims_identity() RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
  cluster text;
BEGIN
  BEGIN
    SELECT system_identifier INTO cluster FROM pg_control_system();
  EXCEPTION WHEN insufficient_privilege THEN
    cluster := '';
  END;
  RETURN concat_ws(
    '/',
    cluster,
    (SELECT oid FROM pg_database WHERE datname = current_database()),
    'claims'::regclass::oid
  );
END
$$;

-- One row: the identity of the table of claims when the server opened it for the first time.
CREATE TABLE claims_origin (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  identity text COLLATE "C" NOT NULL
);
INSERT INTO claims_origin (identity) VALUES (claims_identity());
