import type { MainDatabase } from '../open.ts';

/** A call of a store method for the writer thread. The arguments must be structured-cloneable. */
export type WriterCall = {
  readonly store: string;
  readonly method: string;
  readonly args: readonly unknown[];
};

/** The result of a call. An error includes SQLite's result code, which structured cloning would drop. */
export type CallResult =
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false;
      readonly name: string;
      readonly message: string;
      readonly code: string | undefined;
    };

type Method = (...args: readonly unknown[]) => unknown;
type MethodTable = Readonly<Record<string, Readonly<Record<string, Method>>>>;

/**
 * Runs calls of store methods, several of them in one transaction, so that they share one fsync. Each call is still all or nothing,
 * because stores use savepoints within an open transaction. No result is returned before the commit.
 *
 * If SQLite rolls back the whole transaction (a full disk, an I/O error) or the commit fails, every call of the group
 * fails with that error, and none of them changed anything.
 *
 * @param stores from createRawStores; they wait for nothing but their own statements
 * @returns the results in the order of the calls
 */
export async function runGroup(
  { raw }: MainDatabase,
  stores: object,
  calls: readonly WriterCall[],
): Promise<readonly CallResult[]> {
  const table = stores as MethodTable;
  // A single call needs no transaction around it, and takes no lock if it writes nothing.
  if (calls.length === 1) return Promise.all(calls.map((call) => run(table, call)));
  try {
    raw.run('BEGIN IMMEDIATE');
  } catch (error) {
    return calls.map(() => toFailure(error));
  }
  const results: CallResult[] = [];
  for (const call of calls) {
    results.push(await run(table, call));
    if (!raw.inTransaction) return await recoverFromRollback(table, calls, results);
  }
  try {
    raw.run('COMMIT');
  } catch (error) {
    if (raw.inTransaction) raw.run('ROLLBACK');
    return calls.map(() => toFailure(error));
  }
  return results;
}

/** SQLite rolled everything back during the last call that ran. The remaining calls run one by one. */
async function recoverFromRollback(
  table: MethodTable,
  calls: readonly WriterCall[],
  results: readonly CallResult[],
): Promise<readonly CallResult[]> {
  const last = results.at(-1);
  const failure: CallResult =
    last === undefined || last.ok ? toFailure(new Error('the transaction was rolled back')) : last;
  const rest: CallResult[] = [];
  for (const call of calls.slice(results.length)) rest.push(await run(table, call));
  return [...results.map(() => failure), ...rest];
}

async function run(table: MethodTable, { store, method, args }: WriterCall): Promise<CallResult> {
  try {
    const found = table[store]?.[method];
    if (found === undefined) throw new TypeError(`no store has a method ${store}.${method}`);
    return { ok: true, value: await found(...args) };
  } catch (error) {
    return toFailure(error);
  }
}

function toFailure(error: unknown): CallResult {
  if (!(error instanceof Error)) return { ok: false, name: 'Error', message: String(error), code: undefined };
  const { code } = error as { readonly code?: unknown };
  const { name, message } = error;
  return { ok: false, name, message, code: typeof code === 'string' ? code : undefined };
}
