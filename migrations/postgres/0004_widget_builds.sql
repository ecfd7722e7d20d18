-- The builds of the widget that nodes have served, so that pages that pin a build work after an upgrade, and nodes can serve each other's
-- builds during an upgrade. The id is the SHA-256 of the build in hexadecimal digits. current_at is the last time that a node recorded the
-- build as its own.
CREATE TABLE widget_builds (
  id text COLLATE "C" PRIMARY KEY,
  contents bytea NOT NULL,
  current_at bigint NOT NULL
);
