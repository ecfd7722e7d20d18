/** The types of the tests lack the methods of the browser's console. */
declare const console: { error(...parts: readonly unknown[]): void };

/** Writes to the console, for the owner of the website; the widget's own messages are for visitors. */
export function log(message: unknown): void {
  console.error('[postern]', message);
}

let isReported = false;

/** Called after another report of an exception, so that the page's owner gets only one. */
export function markReported(): void {
  isReported = true;
}

/** Logs the page's first exception, and no others, because the same step may fail again at each change of the page. */
export function logOnce(cause: unknown): undefined {
  if (!isReported) log(cause);
  isReported = true;
}

/**
 * Runs a step whose failure must not stop the steps after it, because the page can remove or replace any Web API.
 *
 * @returns the result; undefined after an exception, which is logged
 */
export function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (cause) {
    return logOnce(cause);
  }
}
