import type { AuditEntry } from '../../model/audit.ts';
import { isChange } from '../changes.ts';
import type { OnAuditFailure } from '../storage.ts';
import { type MainDatabase, transact } from './open.ts';
import { createAppend } from './stores/audit.ts';

type Entries = AuditEntry | undefined | readonly (AuditEntry | undefined)[];

/** Appends entries of a change before it is complete. Only for a change that is rolled back if its result is not a change. */
export type RecordEntries = (entries: readonly AuditEntry[]) => void;

/**
 * Runs work in one transaction, which also appends the audit log entries if the work changed something; see
 * `isChange`.
 *
 * @param entry a function if the entries depend on what the work did
 * @param complete adds fields that depend on the result, such as the id of a new organization
 */
export type Change = <T>(
  entry: Entries | (() => Entries),
  work: (record: RecordEntries) => T,
  complete?: (result: T) => Partial<AuditEntry>,
) => Promise<T>;

/** @param onAuditFailure called if an entry cannot be appended; the change is still made */
export function createChange(database: MainDatabase, onAuditFailure: OnAuditFailure): Change {
  const append = createAppend(database);

  function record(entry: AuditEntry): void {
    try {
      database.raw.transaction(append)(entry);
    } catch (error) {
      // SQLite can roll back the whole transaction, for example on a full disk.
      if (!database.raw.inTransaction) throw error;
      onAuditFailure(entry.action, error);
    }
  }

  return (entry, work, complete) =>
    transact(database, () => {
      const result = work((entries) => entries.forEach(record));
      if (!isChange(result)) return result;
      const entries = [typeof entry === 'function' ? entry() : entry].flat();
      for (const each of entries) if (each !== undefined) record({ ...each, ...complete?.(result) });
      return result;
    });
}
