-- The organization of all properties of a task; null if they belong to several, or if the account may not access it.
-- No reference, because the rows of deleted organizations can be purged earlier.
ALTER TABLE tasks ADD COLUMN target_organization_id bigint;
UPDATE tasks SET target_organization_id = (task_order::jsonb ->> 'organizationId')::bigint
WHERE task_order::jsonb ->> 'kind' = 'create-properties';
CREATE INDEX tasks_by_target ON tasks (target_organization_id, number) WHERE target_organization_id IS NOT NULL;
