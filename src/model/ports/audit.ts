import type { Instant } from '../../lib/time.ts';
import type { AuditEntry, AuditFilter, AuditId, StoredAuditEntry } from '../audit.ts';

export interface AuditStore {
  append(entry: AuditEntry): Promise<void>;
  /**
   * Lists entries, newest first. Other requests continue while a long log is searched; entries that are added meanwhile are not in
   * the result.
   *
   * @param before only entries older than this one; undefined for the newest entries
   * @param limit at least 1
   */
  page(filter: AuditFilter, before: AuditId | undefined, limit: number): Promise<readonly StoredAuditEntry[]>;
  /** Deletes some of the entries older than `before`. @returns their number; 0 if none is left */
  purge(before: Instant): Promise<number>;
}
