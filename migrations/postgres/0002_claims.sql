-- The number of presentations of each puzzle. Times are in seconds since 1970-01-01T00:00Z. Puzzles that are presented at about the
-- same time expire at about the same time, so inserts touch adjacent pages of the index, and a purge deletes from one end.
-- Autovacuum runs without pauses after every 100,000 deleted rows, so that PostgreSQL reuses their space.
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

-- For each signing key, the time before which expired puzzles were purged. It only increases.
CREATE TABLE purged (
  fingerprint bigint PRIMARY KEY,
  expired_before bigint NOT NULL
);

-- Counts a group of claims. `expirations` has one element per claim, and `ids` has 8 bytes per claim. Claims of the same puzzle are
-- counted together.
--
-- counted: the number of distinct puzzles
-- repeated: the puzzles that were presented more than once, as EXPIRATION:ID:PRESENTATIONS, separated by commas
-- purges: the rows of `purged`, as FINGERPRINT:EXPIRED_BEFORE, separated by commas
--
-- The order of the inserted rows prevents deadlocks. The purges must be read after the insert; see
-- src/storage/postgres/ledger/claims.ts.
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

-- Identifies the table of claims. A copy restored from a dump has another identity, because it is another table or belongs to another
-- database. A physical copy of the cluster has the same identity.
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

-- One row: the identity of the table of claims when it was created, or when all earlier puzzles were last rejected.
CREATE TABLE claims_origin (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  identity text COLLATE "C" NOT NULL
);
INSERT INTO claims_origin (identity) VALUES (claims_identity());
