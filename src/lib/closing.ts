import { lazy } from './lazy.ts';

/** The parts that a program has opened so far. */
export type Closing = {
  /** Registers the function that closes a part, immediately after the part was opened. @param part its name, for `onFailure` */
  readonly add: (part: string, close: () => unknown) => void;
  /**
   * Closes all parts, the last one first, even if one of them fails. Safe to repeat: all calls share one result.
   *
   * @throws (rejects) with the first error, after all parts were closed
   */
  readonly close: () => Promise<void>;
};

/** @param onFailure called for each part that could not be closed */
export function createClosing(onFailure: (part: string, error: unknown) => void = () => {}): Closing {
  const steps: (() => Promise<void>)[] = [];
  return {
    add(part, close) {
      steps.unshift(async () => {
        try {
          await close();
        } catch (error) {
          onFailure(part, error);
          throw error;
        }
      });
    },
    close: lazy(() => runAll(steps)),
  };
}

/** Closes what is open if the work fails. @throws (rejects) with the error of the work, even if closing fails as well */
export async function closeOnFailure<T>(close: () => Promise<void>, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await close().catch(() => {});
    throw error;
  }
}

/** Runs the work, and then closes what it used. @throws (rejects) with the error of the work, otherwise with that of closing */
export async function closeAfter<T>(close: () => Promise<void>, work: () => T | Promise<T>): Promise<T> {
  const result = await closeOnFailure(close, work);
  await close();
  return result;
}

/** Runs all steps in order, even after one fails. @throws (rejects) with the first error, after the last step */
export async function runAll(steps: readonly (() => unknown)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}
