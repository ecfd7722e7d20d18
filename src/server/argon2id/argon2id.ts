import { availableParallelism } from 'node:os';
import {
  type Argon2idCheck,
  type Argon2idCheckDeps,
  createArgon2idCheck,
} from '../../captcha/argon2idCheck.ts';
import type { Config } from '../../config.ts';
import type { Meters } from '../meters.ts';
import { createArgon2idThreads } from './threads.ts';

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
