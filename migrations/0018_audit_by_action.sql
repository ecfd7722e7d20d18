-- The dashboards of administrators search the audit log for rare actions.
CREATE INDEX audit_by_action ON audit (action, id);
