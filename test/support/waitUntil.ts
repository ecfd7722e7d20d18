/**
 * Time limit for one event, in milliseconds. Long enough for a busy machine, and shorter than the time limit of a
 * test (`TEST_TIMEOUT_MS` in `test/run.ts`), so that the error names the missing event.
 */
export const PATIENCE_MS = 60_000;

/** The pause between two polls, in milliseconds: a twentieth of the time that has passed, so that a long wait costs little CPU time. */
const PAUSE_MS = { min: 5, max: 50 };

/**
 * Polls until a condition holds.
 *
 * @param event what the condition means, for the error
 * @throws after PATIENCE_MS
 */
export async function waitUntil(event: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const startedAt = performance.now();
  while (!(await isSo())) {
    const passed = performance.now() - startedAt;
    if (passed > PATIENCE_MS) throw new Error(`did not happen within ${PATIENCE_MS} ms: ${event}`);
    await Bun.sleep(Math.min(Math.max(passed / 20, PAUSE_MS.min), PAUSE_MS.max));
  }
}
