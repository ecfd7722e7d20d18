-- Renames three actions of the audit log.
UPDATE audit
SET action = CASE action
  WHEN 'session-refused' THEN 'session-rejected'
  WHEN 'password-refused' THEN 'password-rejected'
  ELSE 'setup-completed'
END
WHERE action IN ('session-refused', 'password-refused', 'set-up-completed');
