import { type Awaitable, attempt } from '../lib/awaitable.ts';
import { ARGON2ID_LEVEL_OFFSET } from '../puzzle/argon2id.ts';
import { areDistinct, type CheckSolutions, toBlock } from '../puzzle/check.ts';
import { toThreshold } from '../puzzle/threshold.ts';
import type { Argon2idResult, CheckArgon2id } from './argon2idCheck.ts';
import { openClient } from './clientSeal.ts';
import type { LoadMeter } from './load.ts';
import type { ClaimResult, ReplayGuard } from './replay.ts';
import type { Hmac, KeyRing } from './signature.ts';
import type { Verdict } from './verdict.ts';
import type { SignedPayload, Verdicts } from './verdicts.ts';

export type WorkDeps = {
  readonly guard: Omit<ReplayGuard, 'readCache'>;
  readonly keyRing: () => KeyRing;
  readonly hmac: Hmac;
  readonly load: Pick<LoadMeter, 'verified'>;
  readonly checkBlake2b: CheckSolutions;
  readonly checkArgon2id: CheckArgon2id;
  /** Called with the reason if a claim cannot be stored, a property cannot be read, or argon2id hashes cannot be computed. */
  readonly onFailure: (operation: 'claim' | 'property' | 'argon2id', error: unknown) => void;
};

/** Creates the last checks: the proof of work, and the claim. */
export function createWorkCheck(deps: WorkDeps, { conclude, repeated, busy }: Verdicts) {
  function checkWork(signed: SignedPayload, maxCount: number, isInMaintenance: boolean): Awaitable<Verdict> {
    const { puzzle, puzzleBytes, solutions } = signed.payload;
    if (!areDistinct(solutions)) return conclude('solution-duplicates', signed);
    if (puzzle.challenge === 'argon2id') return checkArgon2id(signed, maxCount, isInMaintenance);
    const threshold = toThreshold(puzzle.difficulty);
    if (!deps.checkBlake2b(solutions, toBlock(puzzleBytes), threshold)) {
      return conclude('solution-invalid', signed);
    }
    return claim(signed, maxCount, isInMaintenance);
  }

  /** The cache of claims comes first, because it costs much less than the hashes. */
  function checkArgon2id(
    signed: SignedPayload,
    maxCount: number,
    isInMaintenance: boolean,
  ): Awaitable<Verdict> {
    const { payload, repeatKey } = signed;
    if (!deps.guard.isSpent(payload.puzzle, maxCount)) return hash(signed, maxCount, isInMaintenance);
    if (repeatKey === undefined) return conclude('solution-verified-before', signed);
    // A request with the same key may have been counted since the first look. If its claim is in the cache, it is also in the ledger.
    return attempt(
      () => deps.guard.recall(repeatKey),
      (isAccepted) =>
        isAccepted === undefined
          ? conclude('solution-verified-before', signed)
          : repeated(signed, isAccepted),
      (error) => failToClaim(signed, error),
    );
  }

  function hash(signed: SignedPayload, maxCount: number, isInMaintenance: boolean): Awaitable<Verdict> {
    const { payload, sitekey, organizationId, ownerId } = signed;
    const conclusions: Record<Argon2idResult, () => Awaitable<Verdict>> = {
      valid: () => claim(signed, maxCount, isInMaintenance),
      invalid: () => conclude('solution-invalid', signed),
      busy: () => busy(signed),
    };
    return attempt(
      () => deps.checkArgon2id({ sitekey, organizationId, ownerId }, payload),
      (result) => conclusions[result](),
      (error) => {
        deps.onFailure('argon2id', error);
        return conclude('error-other', signed, { isUnavailable: true });
      },
    );
  }

  function claim(signed: SignedPayload, maxCount: number, isInMaintenance: boolean): Awaitable<Verdict> {
    const { repeatKey, fields } = signed;
    const { puzzleId, expiresAtSeconds } = signed.payload.puzzle;
    const counted = { puzzleId, expiresAtSeconds, keyFingerprint: fields.keyFingerprint };
    return attempt(
      () =>
        repeatKey ? deps.guard.claimOnce(counted, maxCount, repeatKey) : deps.guard.claim(counted, maxCount),
      (result) => claimed(result, signed, isInMaintenance),
      (error) => failToClaim(signed, error),
    );
  }

  function failToClaim(signed: SignedPayload, error: unknown): Awaitable<Verdict> {
    deps.onFailure('claim', error);
    return conclude('error-other', signed, { isUnavailable: true });
  }

  function claimed(result: ClaimResult, signed: SignedPayload, isInMaintenance: boolean): Verdict {
    if (result === 'purged') return conclude('puzzle-expired', signed);
    if (result !== 'first')
      return conclude('solution-verified-before', signed, { success: result === 'repeat' });
    recordVerified(deps, signed);
    return conclude(isInMaintenance ? 'maintenance-mode' : 'no-error', signed, { success: true });
  }

  return { checkWork, failToClaim };
}

/** Tells the load meter which client's puzzle was verified. */
function recordVerified(
  { keyRing, hmac, load }: WorkDeps,
  { payload, fields, now }: Pick<SignedPayload, 'payload' | 'fields' | 'now'>,
): void {
  const key = keyRing().byFingerprint(fields.keyFingerprint);
  if (key === undefined) return;
  const client = openClient(payload.puzzleBytes, key.secret, hmac);
  const { challenge, difficulty } = payload.puzzle;
  const level = challenge === 'argon2id' ? difficulty + ARGON2ID_LEVEL_OFFSET : difficulty;
  if (client !== undefined) load.verified(client, level, now);
}
