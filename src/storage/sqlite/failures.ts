import { chain } from '../../lib/awaitable.ts';
import { StoreFailure } from '../../model/storeFailure.ts';
import type { Method } from '../methods.ts';

/** Result codes for problems of the file, the disk, or other processes rather than of the statement (https://sqlite.org/rescode.html). */
const STORAGE_ERROR = /^SQLITE_(?:LOCKED|NOMEM|READONLY|IOERR|CORRUPT|FULL|CANTOPEN|PROTOCOL|NOLFS|NOTADB)/;
/** Another process is writing. */
const BUSY = /^SQLITE_BUSY/;

/** How long a write waits for another process, in milliseconds. */
const TIMEOUT_MS = 5000;
const [SHORTEST_WAIT_MS, LONGEST_WAIT_MS] = [10, 100];

/**
 * Wraps a method so that it throws StoreFailure if the storage fails; other errors do not change. While another process has the
 * write lock, the method is repeated for up to five seconds, without blocking the thread. Because a method is one atomic step, a
 * call that did not get the lock has changed nothing.
 */
export function reportFailures(method: Method): Method {
  return (...args) => {
    try {
      const onError = (error: unknown) => retry(method, args, error);
      return chain(method(...args), (result) => result, onError);
    } catch (error) {
      throw toStoreFailure(error);
    }
  };
}

async function retry(method: Method, args: readonly unknown[], first: unknown): Promise<unknown> {
  const deadline = performance.now() + TIMEOUT_MS;
  let error = first;
  for (let wait = SHORTEST_WAIT_MS; BUSY.test(codeOf(error)); wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
    if (performance.now() > deadline) break;
    await Bun.sleep(wait);
    try {
      return await method(...args);
    } catch (next) {
      error = next;
    }
  }
  throw toStoreFailure(error);
}

/** Returns the error itself if the storage did not cause it. */
function toStoreFailure(error: unknown): unknown {
  const code = codeOf(error);
  if (!STORAGE_ERROR.test(code) && !BUSY.test(code)) return error;
  return new StoreFailure(`${code}: ${error instanceof Error ? error.message : error}`, { cause: error });
}

/** SQLite's result code; empty for other errors. */
function codeOf(error: unknown): string {
  const code = (error as { readonly code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}
