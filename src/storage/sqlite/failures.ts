import { chain } from '../../lib/awaitable.ts';
import { StoreFailure } from '../../model/storeFailure.ts';

/** Result codes that speak of the file, the disk or other processes, not of the statement (https://sqlite.org/rescode.html). */
const OF_THE_STORAGE = /^SQLITE_(?:LOCKED|NOMEM|READONLY|IOERR|CORRUPT|FULL|CANTOPEN|PROTOCOL|NOLFS|NOTADB)/;
/** Another process writes. */
const BUSY = /^SQLITE_BUSY/;

/** How long another process may hold up a write, in milliseconds. */
const PATIENCE_MS = 5000;
const [SHORTEST_WAIT_MS, LONGEST_WAIT_MS] = [10, 100];

type Method = (...given: readonly unknown[]) => unknown;

/**
 * A store that tells failures of the storage from mistakes of the program: it throws StoreFailure for those. Where
 * another process holds the lock for writing, what is asked for waits for up to five seconds without holding up
 * anything else. Every method is one atomic step, so one that found the lock taken has done nothing.
 */
export function reportingFailures<Store extends object>(store: Store): Store {
  const methods = Object.entries(store as Record<string, Method>);
  return Object.fromEntries(methods.map(([name, method]) => [name, telling(method)])) as Store;
}

function telling(method: Method): Method {
  return (...given) => {
    try {
      const retry = (error: unknown) => again(method, given, error);
      return chain(method(...given), (result) => result, retry);
    } catch (error) {
      throw told(error);
    }
  };
}

async function again(method: Method, given: readonly unknown[], first: unknown): Promise<unknown> {
  const deadline = performance.now() + PATIENCE_MS;
  let error = first;
  for (let wait = SHORTEST_WAIT_MS; BUSY.test(codeOf(error)); wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
    if (performance.now() > deadline) break;
    await Bun.sleep(wait);
    try {
      return await method(...given);
    } catch (next) {
      error = next;
    }
  }
  throw told(error);
}

function told(error: unknown): unknown {
  const code = codeOf(error);
  if (!OF_THE_STORAGE.test(code) && !BUSY.test(code)) return error;
  return new StoreFailure(`${code}: ${error instanceof Error ? error.message : error}`, { cause: error });
}

/** SQLite's name for it, "" for what SQLite did not throw. */
function codeOf(error: unknown): string {
  const code = (error as { readonly code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}
