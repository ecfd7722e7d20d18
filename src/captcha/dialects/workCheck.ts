import { done, type Outcome, reject } from '../../lib/outcome.ts';
import { type Clock, instantFromSeconds } from '../../lib/time.ts';
import {
  createSigningBuffers,
  type Hmac,
  type KeyRing,
  type VerifiedFields,
  verifySignature,
} from '../signature.ts';
import { isTestPuzzle } from '../unsignedPuzzles.ts';
import type { VerdictName } from '../verdict.ts';
import type { SignedText } from './signedText.ts';

/** The fields of a puzzle's signature. */
export type Origin = Pick<VerifiedFields, 'host' | 'issuedAtSeconds' | 'secret'> & {
  readonly isTest: boolean;
};

export type WorkCheckDeps = {
  readonly keyRing: () => KeyRing;
  readonly hmac: Hmac;
  readonly clock: Clock;
  readonly hasTestProperty: boolean;
};

/** The test property's puzzle contains no secret. */
const TEST_ORIGIN: Origin = { host: '', issuedAtSeconds: 0, secret: new Uint8Array(32), isTest: true };

/** @see createWorkCheck */
export type WorkCheck = ReturnType<typeof createWorkCheck>;

/**
 * Creates the check of work that the browser shows before a form is sent. It stores and counts nothing: the verification by the backend
 * checks the property, claims the puzzle, and counts.
 */
export function createWorkCheck({ keyRing, hmac, clock, hasTestProperty }: WorkCheckDeps) {
  const buffers = createSigningBuffers();

  /** @returns undefined if the signature is invalid */
  function originOf({ puzzle, puzzleBytes, signature }: SignedText): Origin | undefined {
    if (hasTestProperty && isTestPuzzle(puzzleBytes)) return TEST_ORIGIN;
    const fields = verifySignature(puzzleBytes, signature, keyRing(), hmac, buffers[puzzle.version]);
    return fields && { ...fields, isTest: false };
  }

  return {
    originOf,
    /** @param isSolved checks the work; not called for the test property's puzzle */
    check(signed: SignedText, isSolved: (secret: Uint8Array) => boolean): Outcome<Origin, VerdictName> {
      const origin = originOf(signed);
      if (origin === undefined) return reject('integrity-error');
      if (origin.isTest) return done(origin);
      if (clock() >= instantFromSeconds(signed.puzzle.expiresAtSeconds)) return reject('puzzle-expired');
      return isSolved(origin.secret) ? done(origin) : reject('solution-invalid');
    },
  };
}
