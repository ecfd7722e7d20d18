import { closeSync, openSync } from 'node:fs';
import type { Log } from '../lib/log.ts';
import { startPeriodic } from '../lib/periodic.ts';
import { MINUTE, SECOND } from '../lib/time.ts';

/** The codes of open(2) if this process, or all processes together, cannot open more files. */
const LIMIT_CODES = ['EMFILE', 'ENFILE'];

/**
 * Logs when the server cannot open more files. New connections then wait until others end, and nothing else shows this, because Bun does
 * not report that it cannot accept them.
 *
 * @returns a function that stops the watch
 */
export function startFileLimitWatch(log: Log, everyMs = SECOND): () => Promise<void> {
  let loggedAt = Number.NEGATIVE_INFINITY;
  const { stop } = startPeriodic({
    everyMs,
    async work() {
      const code = tryToOpen();
      if (code === undefined || performance.now() - loggedAt < MINUTE) return;
      loggedAt = performance.now();
      log.error('file-limit-reached', { code });
    },
  });
  return stop;
}

/** @returns the code of the limit that was reached */
function tryToOpen(): string | undefined {
  try {
    closeSync(openSync('/dev/null', 'r'));
    return undefined;
  } catch (error) {
    const code = String((error as { readonly code?: unknown }).code);
    return LIMIT_CODES.includes(code) ? code : undefined;
  }
}
