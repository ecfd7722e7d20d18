import type { Outcome } from '../../lib/outcome.ts';

/** The value of an outcome that is never rejected for an administrator. @throws if it was rejected, which the guard prevents */
export function granted<T>(outcome: Outcome<T, 'admin-only'>): T {
  if (!outcome.ok) throw new Error('A user who is not an administrator opened a page for administrators.');
  return outcome.value;
}
