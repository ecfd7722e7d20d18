import type { Instant } from '../../lib/time.ts';
import type { AuditEntry, AuditFilter, AuditId, KeptAuditEntry } from '../audit.ts';

/** Acts in the order in which they were noted down. */
export interface AuditStore {
  append(entry: AuditEntry): Promise<void>;
  /**
   * Newest first. A log of any length is looked through without holding up others; entries that come meanwhile are not
   * on the page.
   *
   * @param before only entries older than this one; undefined for the newest
   * @param limit at least 1
   */
  page(filter: AuditFilter, before: AuditId | undefined, limit: number): Promise<readonly KeptAuditEntry[]>;
  /** Forgets some of the entries that were made before this moment. @returns how many; 0 when none is left */
  purge(before: Instant): Promise<number>;
}
