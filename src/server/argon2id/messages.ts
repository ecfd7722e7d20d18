import type { Argon2idWork } from '../../puzzle/argon2id.ts';
import type { Failed } from '../../storage/sqlite/thread.ts';

/** A message to a thread that verifies argon2id solutions. */
export type ToArgon2id = Argon2idWork;

/** Its answer. */
export type FromArgon2id =
  | { readonly kind: 'verified'; readonly answered: 1; readonly isValid: boolean }
  | Failed;
