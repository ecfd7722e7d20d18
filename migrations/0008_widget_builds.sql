-- The builds of the widget that servers have served, so that pages that pin a build work after an upgrade. The id is the SHA-256 of the
-- build in hexadecimal digits. current_at is the last time that a server recorded the build as its own.
CREATE TABLE widget_builds (
  id TEXT PRIMARY KEY NOT NULL,
  contents BLOB NOT NULL,
  current_at INTEGER NOT NULL
);
