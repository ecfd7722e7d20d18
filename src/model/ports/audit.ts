import type { Instant } from '../../lib/time.ts';
import type { AuditEntry, AuditFilter, AuditId, StoredAuditEntry } from '../audit.ts';

export interface AuditStore {
  append(entry: AuditEntry): Promise<void>;
  /**
   * Lists entries, newest first. Other requests are handled while a long log is searched; entries that are added in the meantime are
   * not included.
   *
   * @param before only entries older than this one; undefined for the newest entries
   * @param limit at least 1
   */
  page(filter: AuditFilter, before: AuditId | undefined, limit: number): Promise<readonly StoredAuditEntry[]>;
  /** Deletes a batch of entries older than `before`. @returns their number; 0 if none are left */
  purge(before: Instant): Promise<number>;
}
