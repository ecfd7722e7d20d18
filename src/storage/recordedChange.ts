import type { AuditEntry } from '../model/audit.ts';
import { type Executor, RolledBackError, type StoreDatabase } from './executor.ts';
import type { OnAuditFailure } from './storage.ts';
import { appendAll } from './stores/audit.ts';

type Entries = AuditEntry | undefined | readonly (AuditEntry | undefined)[];

/** Appends entries of a change before it is complete. Only for a change that is rolled back if its result is not a change. */
export type RecordEntries = (entries: readonly AuditEntry[]) => Promise<void>;

/**
 * Runs work in one transaction, which also appends the audit log entries if the work changed something; see `isChange`.
 *
 * @param entry the entries, or a function that returns them after the work if they depend on it
 * @param complete adds fields that depend on the result, such as the id of a new organization
 */
type Change = <T>(
  entry: Entries | (() => Entries),
  work: (tx: Executor, record: RecordEntries) => Promise<T>,
  complete?: (result: T) => Partial<AuditEntry>,
) => Promise<T>;

export type Changes = {
  readonly change: Change;
  /** For methods of the kind `invalidate`: also announces the change to all nodes. */
  readonly invalidate: Change;
};

/** @param onAuditFailure called for each entry of a change if the entries cannot be appended; the change is still made */
export function createChanges(database: StoreDatabase, onAuditFailure: OnAuditFailure): Changes {
  async function record(tx: Executor, entries: readonly AuditEntry[]): Promise<void> {
    if (entries.length === 0) return;
    try {
      // A savepoint, because a failed statement would otherwise abort the whole transaction.
      await tx.savepoint((inner) => appendAll(inner, entries));
    } catch (error) {
      if (error instanceof RolledBackError) throw error.cause;
      for (const { action } of entries) onAuditFailure(action, error);
    }
  }

  const createChange =
    (announce: (tx: Executor) => Promise<void>): Change =>
    (entry, work, complete) =>
      database.transact(async (tx) => {
        const result = await work(tx, (entries) => record(tx, entries));
        if (!isChange(result)) return result;
        const completed = complete?.(result);
        await record(
          tx,
          toList(entry).map((each) => ({ ...each, ...completed })),
        );
        await announce(tx);
        return result;
      });

  return {
    change: createChange(async () => {}),
    invalidate: createChange((tx) => tx.engine.announceChange(tx)),
  };
}

function toList(entries: Entries | (() => Entries)): readonly AuditEntry[] {
  return [typeof entries === 'function' ? entries() : entries].flat().filter((entry) => entry !== undefined);
}

/** Whether the result of a store method reports a change: a successful outcome, or a value other than undefined, false, and 0. */
function isChange(result: unknown): boolean {
  if (typeof result === 'object' && result !== null && 'ok' in result) return result.ok === true;
  return result !== undefined && result !== false && result !== 0;
}
