-- Brings email addresses into the canonical form. `normalizeEmails` does the work, because SQL cannot convert domains.
SELECT 1;
