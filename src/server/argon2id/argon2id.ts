import { availableParallelism } from 'node:os';
import {
  type Argon2idCheck,
  type Argon2idCheckDeps,
  createArgon2idCheck,
} from '../../captcha/argon2idCheck.ts';
import type { Config } from '../../config.ts';
import type { Argon2idWork } from '../../puzzle/argon2id.ts';
import { type StartedThread, type StartWorker, startThread } from '../../threads/worker.ts';
import type { Meters } from '../meters.ts';
import type { Argon2idMethods } from './argon2idThread.ts';

/** Maximum number of threads unless the setting is set. They use 256 MiB. */
const MAX_DEFAULT_PARALLELISM = 16;

/**
 * Creates the verification of argon2id solutions, and the function that stops its threads.
 *
 * @param verify replaces the threads, for tests
 */
export function createArgon2id(
  { argon2Parallelism, argon2Queue }: Pick<Config, 'argon2Parallelism' | 'argon2Queue'>,
  { argon2id }: Pick<Meters, 'argon2id'>,
  verify?: Argon2idCheckDeps['verify'],
): { readonly check: Argon2idCheck; readonly stop: () => void } {
  const threads = createArgon2idThreads();
  const check = createArgon2idCheck({
    parallelism: argon2Parallelism ?? defaultParallelism(availableParallelism()),
    queue: argon2Queue,
    verify: verify ?? threads.verify,
    monotonicMs: () => performance.now(),
    meter: {
      rejected: () => argon2id.results.add('rejected'),
      verified(result, seconds) {
        argon2id.results.add(result);
        argon2id.seconds.observe(seconds);
      },
    },
  });
  return { check, stop: threads.stop };
}

/** One core remains for the other threads. */
function defaultParallelism(cores: number): number {
  return Math.min(Math.max(1, cores - 1), MAX_DEFAULT_PARALLELISM);
}

type Argon2idThread = StartedThread<Argon2idMethods>;

/**
 * Threads that verify the solutions of argon2id puzzles. They start when they are first needed.
 *
 * Wakers: a verification ends with the thread's answer, or as a failure when the thread ends or `stop` is called. Its hashes limit its
 * duration.
 *
 * @param start creates the worker; tests pass their own function
 */
export function createArgon2idThreads(start?: StartWorker) {
  const all = new Set<Argon2idThread>();
  const idle: Argon2idThread[] = [];
  let isStopped = false;

  function open(): Argon2idThread {
    const thread: Argon2idThread = startThread<Argon2idMethods>({ name: 'argon2id', start }, () =>
      all.delete(thread),
    );
    all.add(thread);
    return thread;
  }

  /** A thread can end while it is idle. */
  function takeIdle(): Argon2idThread | undefined {
    let thread = idle.pop();
    while (thread?.isAlive() === false) thread = idle.pop();
    return thread;
  }

  return {
    /**
     * Computes one hash after the other, and stops at the first that does not meet the threshold. Every simultaneous call uses its own
     * thread.
     *
     * @throws if the thread fails
     */
    async verify(work: Argon2idWork): Promise<boolean> {
      // Verifications that waited for a permit continue when those that ran have failed.
      if (isStopped) throw new Error('the argon2id threads were stopped');
      const thread = takeIdle() ?? open();
      try {
        const isValid = await thread.call('verify', work);
        if (thread.isAlive()) idle.push(thread);
        return isValid;
      } catch (error) {
        // A thread remembers that it could not load the library. The next verification tries again with another thread.
        all.delete(thread);
        thread.stop();
        throw error;
      }
    },
    stop(): void {
      isStopped = true;
      for (const thread of all) thread.stop();
      all.clear();
      idle.length = 0;
    },
  };
}
