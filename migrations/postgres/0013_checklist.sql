-- When the user dismissed the checklist on the start page.
ALTER TABLE accounts ADD COLUMN checklist_dismissed_at bigint;
