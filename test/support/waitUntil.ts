/**
 * Time limit for one event, in milliseconds. Long enough for a busy machine, and shorter than the time limit of a
 * test (`TEST_TIMEOUT_MS` in `test/run.ts`), so that the error names the missing event.
 */
export const PATIENCE_MS = 60_000;

/**
 * Polls until a condition holds.
 *
 * @param event what the condition means, for the error
 * @throws after PATIENCE_MS
 */
export async function waitUntil(event: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`did not happen within ${PATIENCE_MS} ms: ${event}`);
    await Bun.sleep(5);
  }
}
