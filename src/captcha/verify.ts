import { type Awaitable, attempt, chain } from '../lib/awaitable.ts';
import { type Clock, instantFromSeconds, SECOND } from '../lib/time.ts';
import { withAttackMode } from '../model/attackMode.ts';
import type { OwnedProperty } from '../model/ports/property.ts';
import type { RepeatKey } from '../model/ports/replayLedger.ts';
import { parseSitekey, type Sitekey, TEST_SITEKEY } from '../model/property.ts';
import { settingsCode } from '../model/statistics.ts';
import { areDistinct, type CheckSolutions, toBlock, toThreshold } from '../puzzle/check.ts';
import { checkHashwxIndexes } from '../puzzle/hashwx.ts';
import { KINDS, levelOf } from '../puzzle/kinds.ts';
import type { Puzzle } from '../puzzle/puzzle.ts';
import { type Payload, parsePayload } from '../puzzle/solution.ts';
import { createHmac } from '../sha256.ts';
import type { Argon2idResult, CheckArgon2id } from './argon2idCheck.ts';
import type { CheckHashwx } from './hashwxCheck.ts';
import type { LoadMeter } from './load.ts';
import type { ClaimResult, ReplayGuard } from './replay.ts';
import {
  createSigningBuffers,
  type Hmac,
  type KeyRing,
  openClient,
  SIGNATURE_SIZES,
  verifySignature,
} from './signature.ts';
import { isTestPuzzle } from './unsignedPuzzles.ts';
import { UNKNOWN_PROPERTY } from './usage.ts';
import type { Verdict } from './verdict.ts';
import {
  createVerdicts,
  type DialectPayload,
  mayVerify,
  type SignedPayload,
  type VerdictDeps,
  type Verdicts,
  type VerifyingKey,
} from './verdicts.ts';

export type VerificationRequest = {
  /** Content of the form's hidden field, or what was parsed from it if it has the format of another product. */
  readonly payload: string | DialectPayload;
  readonly principal: VerifyingKey;
  /** The sitekey that the caller expects, if it named one. */
  readonly expectedSitekey: string | undefined;
  /** 32 bytes that identify a request and its repetitions, which get the same verdict. */
  readonly repeatHash?: Uint8Array;
};

/** @see createVerifySolution */
export type VerifySolution = ReturnType<typeof createVerifySolution>;

export type VerifyDeps = Omit<VerdictDeps, 'properties'> &
  Omit<WorkDeps, 'hmac'> & {
    readonly properties: { readonly bySitekey: (sitekey: Sitekey) => Awaitable<OwnedProperty | undefined> };
    readonly keyRing: () => KeyRing;
    readonly clock: Clock;
    /** Whether the operator turned maintenance on, or the main database fails. */
    readonly isInMaintenance: () => boolean;
    readonly hasTestProperty: boolean;
  };

/**
 * Verifies a payload. Cheap checks come first, and the first failure decides. The claim, the only write, comes last, so that an
 * invalid payload cannot spend another visitor's puzzle.
 *
 * @see docs/reference/protocol.md#order-of-checks
 */
export function createVerifySolution(deps: VerifyDeps) {
  const buffers = createSigningBuffers();
  const hmac = createHmac();

  const verdicts = createVerdicts(deps);
  const { unsigned, conclude, concludeEarly, repeated } = verdicts;
  const { checkWork, failToClaim } = createWorkCheck({ ...deps, hmac }, verdicts);

  return (request: VerificationRequest): Awaitable<Verdict> => {
    const { payload: given, expectedSitekey, repeatHash } = request;
    const now = deps.clock();
    const payload = typeof given === 'string' ? parsePayload(given) : given;
    if (payload === undefined || !hasSignatureSize(payload) || isTooEasy(payload.puzzle))
      return unsigned('solution-bad-format', now);
    if (deps.hasTestProperty && isTestPuzzle(payload.puzzleBytes)) {
      const isWanted = isExpected(TEST_SITEKEY, expectedSitekey);
      return unsigned(isWanted ? 'property-test' : 'property-invalid', now, isWanted, payload.pageData);
    }
    const { puzzle, puzzleBytes, signature } = payload;
    const buffer = buffers[puzzle.version];
    const fields = verifySignature(puzzleBytes, signature, deps.keyRing(), hmac, buffer);
    if (fields === undefined) return unsigned('integrity-error', now);
    const sitekey = puzzle.propertyId.toHex() as Sitekey;
    if (repeatHash === undefined) return checkSigned({ payload, sitekey, fields, now }, request);
    const nowSeconds = Math.floor(now / SECOND);
    const repeatKey = { hash: repeatHash, nowSeconds, userId: request.principal.creatorId };
    return recall({ payload, sitekey, fields, now, repeatKey }, repeatKey, request);
  };

  /** Gives a repeated request the verdict of the first one, even if the puzzle has expired in the meantime. */
  function recall(signed: SignedPayload, key: RepeatKey, request: VerificationRequest): Awaitable<Verdict> {
    return attempt(
      () => deps.guard.recall(key),
      (isAccepted) =>
        isAccepted === undefined ? checkSigned(signed, request) : repeated(signed, isAccepted),
      (error) => failToClaim(signed, error),
    );
  }

  function checkSigned(
    signed: SignedPayload,
    { principal, expectedSitekey }: VerificationRequest,
  ): Awaitable<Verdict> {
    const { payload, sitekey, now } = signed;
    if (now >= instantFromSeconds(payload.puzzle.expiresAtSeconds))
      return concludeEarly('puzzle-expired', signed, principal);
    if (!isExpected(sitekey, expectedSitekey)) return concludeEarly('property-invalid', signed, principal);
    return attempt(
      () => deps.properties.bySitekey(sitekey),
      (property) => checkProperty(property, signed, principal),
      (error) => skipProperty(error, signed),
    );
  }

  /** The database cannot be read and the property is not cached: only the proof of work is checked. */
  function skipProperty(error: unknown, signed: SignedPayload): Awaitable<Verdict> {
    deps.onFailure('property', error);
    return checkWork(signed, 1, true);
  }

  function checkProperty(
    property: OwnedProperty | undefined,
    given: SignedPayload,
    principal: VerifyingKey,
  ): Awaitable<Verdict> {
    if (property === undefined) return conclude('property-invalid', given);
    const { id, organizationId, ownerId } = property;
    // Solve times during attack mode say nothing about the level of the property.
    const settings = settingsCode(withAttackMode(property, given.now));
    const signed: SignedPayload = { ...given, id, organizationId, ownerId, settings };
    // Verdicts for a key without access count for the installation only: a tenant must not distort another's statistics.
    const rejected = { property: UNKNOWN_PROPERTY };
    if (!property.isEnabled)
      return conclude('error-other', signed, mayVerify(principal, property) ? {} : rejected);
    if (!principal.memberOf.has(organizationId)) return conclude('property-owner-mismatch', signed, rejected);
    if (!mayVerify(principal, property)) return conclude('org-scope-error', signed, rejected);
    return checkWork(signed, property.allowance, deps.isInMaintenance());
  }
}

/** The signature's size is part of the format; `verifySignature` checks its content. */
function hasSignatureSize({ signature }: Payload): boolean {
  return signature.length >= SIGNATURE_SIZES.min && signature.length <= SIGNATURE_SIZES.max;
}

/** The server issues no such puzzles. This check rejects them even if they have a valid signature, because random nonces solve them. */
function isTooEasy({ challenge, difficulty }: Puzzle): boolean {
  return difficulty < KINDS[challenge].minDifficulty;
}

function isExpected(sitekey: Sitekey, expected: string | undefined): boolean {
  if (expected === undefined || expected === sitekey) return true;
  const parsed = parseSitekey(expected);
  return parsed.ok && parsed.value === sitekey;
}

type WorkDeps = {
  readonly guard: Omit<ReplayGuard, 'readCache'>;
  readonly hmac: Hmac;
  readonly load: Pick<LoadMeter, 'verified'>;
  readonly checkBlake2b: CheckSolutions;
  readonly checkArgon2id: CheckArgon2id;
  readonly checkHashwx: CheckHashwx;
  /** Called with the reason if a claim cannot be stored, a property cannot be read, or argon2id hashes cannot be computed. */
  readonly onFailure: (operation: 'claim' | 'property' | 'argon2id', error: unknown) => void;
};

/** Claims a solution whose work is valid. */
type Accept = () => Awaitable<Verdict>;

/** Creates the check of the proof of work, which ends with the claim. */
function createWorkCheck(deps: WorkDeps, verdicts: Verdicts) {
  const { conclude, repeated, busy } = verdicts;
  const { claim, failToClaim } = createClaim(deps, verdicts);

  function checkWork(signed: SignedPayload, maxCount: number, isInMaintenance: boolean): Awaitable<Verdict> {
    const { puzzle, puzzleBytes, solutions, isSolved } = signed.payload;
    if (!areDistinct(solutions)) return conclude('solution-duplicates', signed);
    const accept = () => claim(signed, maxCount, isInMaintenance);
    if (puzzle.challenge !== 'blake2b') return checkUnspent(signed, maxCount, accept);
    const isValid =
      isSolved === undefined
        ? deps.checkBlake2b(solutions, toBlock(puzzleBytes), toThreshold(puzzle.difficulty))
        : isSolved(signed.fields.secret);
    return isValid ? accept() : conclude('solution-invalid', signed);
  }

  /** For all kinds but BLAKE2b, the cache of claims comes first, because it costs much less than the hashes. */
  function checkUnspent(signed: SignedPayload, maxCount: number, accept: Accept): Awaitable<Verdict> {
    const { payload, repeatKey } = signed;
    const { challenge } = payload.puzzle;
    const checkHashes = challenge === 'hashwx' ? checkHashwx : checkArgon2id;
    if (!deps.guard.isSpent(payload.puzzle, maxCount)) return checkHashes(signed, accept);
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

  function checkHashwx(signed: SignedPayload, accept: Accept): Awaitable<Verdict> {
    const { payload } = signed;
    const form = checkHashwxIndexes(payload.solutions);
    if (form === 'duplicates') return conclude('solution-duplicates', signed);
    return chain(form === 'valid' && deps.checkHashwx(payload), (isValid) =>
      isValid ? accept() : conclude('solution-invalid', signed),
    );
  }

  function checkArgon2id(signed: SignedPayload, accept: Accept): Awaitable<Verdict> {
    const { payload, sitekey, organizationId, ownerId } = signed;
    const conclusions: Record<Argon2idResult, () => Awaitable<Verdict>> = {
      valid: accept,
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

  return { checkWork, failToClaim };
}

/** Creates the last step, which counts a solution whose work is valid. */
function createClaim(deps: WorkDeps, { conclude }: Verdicts) {
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

  return { claim, failToClaim };
}

/** Tells the load meter which client's puzzle was verified. */
function recordVerified(
  { hmac, load }: WorkDeps,
  { payload, fields, now }: Pick<SignedPayload, 'payload' | 'fields' | 'now'>,
): void {
  const client = openClient(payload.puzzleBytes, fields.secret, hmac);
  if (client !== undefined) load.verified(client, levelOf(payload.puzzle), now);
}
