import { type Awaitable, attempt } from '../lib/awaitable.ts';
import { type Clock, type Instant, instantFromSeconds, SECOND } from '../lib/time.ts';
import type { Principal } from '../model/apiKey.ts';
import type { PropertyLookup } from '../model/ports/property.ts';
import type { RepeatKey } from '../model/ports/replayLedger.ts';
import {
  type Property,
  type PropertyId,
  parseSitekey,
  type Sitekey,
  TEST_SITEKEY,
} from '../model/property.ts';
import { settingsCode } from '../model/statistics.ts';
import { allMeetThreshold, areDistinct, type Hash, toBlock } from '../puzzle/check.ts';
import type { PageData } from '../puzzle/pageData.ts';
import { type Payload, parsePayload } from '../puzzle/solution.ts';
import { toThreshold } from '../puzzle/threshold.ts';
import { openClient } from './clientSeal.ts';
import type { LoadMeter } from './load.ts';
import type { ClaimResult, ReplayGuard } from './replay.ts';
import {
  createSigningBuffer,
  type Hmac,
  type KeyRing,
  SIGNATURE_SIZES,
  type VerifiedFields,
  verifySignature,
} from './signature.ts';
import { isTestPuzzle } from './testProperty.ts';
import { type CountedProperty, UNKNOWN_PROPERTY, type UsageCounter } from './usage.ts';
import type { Verdict, VerdictName } from './verdict.ts';

export type VerificationRequest = {
  /** Content of the form's hidden field. */
  readonly payload: string;
  readonly principal: Pick<Principal, 'memberOf' | 'organizationId'>;
  /** The sitekey that the caller expects, if it named one. */
  readonly expectedSitekey: string | undefined;
  /** 32 bytes that identify a request and its repetitions, which get the same verdict. */
  readonly repeatHash?: Uint8Array;
};

export type VerifySolution = (request: VerificationRequest) => Awaitable<Verdict>;

export type VerifyDeps = {
  readonly properties: PropertyLookup;
  readonly guard: Omit<ReplayGuard, 'readCache'>;
  readonly keyRing: () => KeyRing;
  readonly hmac: Hmac;
  readonly hash: Hash;
  readonly clock: Clock;
  /** Whether the operator turned maintenance on, or the main database fails. */
  readonly isInMaintenance: () => boolean;
  /** Called with the reason if a claim cannot be stored or a property cannot be read. */
  readonly onFailure: (operation: 'claim' | 'property', error: unknown) => void;
  readonly hasTestProperty: boolean;
  readonly usage: Pick<UsageCounter, 'countVerdict'>;
  readonly load: Pick<LoadMeter, 'verified'>;
};

/** A payload with a valid signature. */
type SignedPayload = {
  readonly payload: Payload;
  readonly sitekey: Sitekey;
  /** Set after the property is found. */
  readonly id?: PropertyId;
  /** Set after the property is found. */
  readonly settings?: number;
  readonly fields: VerifiedFields;
  readonly now: Instant;
  readonly repeatKey?: RepeatKey | undefined;
};

/**
 * Verifies a payload. Cheap checks come first, and the first failure decides. The claim, the only write, comes last, so that an
 * invalid payload cannot spend another visitor's puzzle.
 *
 * @see docs/reference/protocol.md#order-of-checks
 */
export function createVerifySolution(deps: VerifyDeps): VerifySolution {
  const buffer = createSigningBuffer();

  const verdicts = createVerdicts(deps);
  const { unsigned, conclude, concludeEarly, repeated } = verdicts;
  const { checkWork, failToClaim } = createWorkCheck(deps, verdicts);

  return (request) => {
    const { payload: text, expectedSitekey, repeatHash } = request;
    const now = deps.clock();
    const payload = parsePayload(text);
    if (payload === undefined || !hasSignatureSize(payload)) return unsigned('solution-bad-format', now);
    if (deps.hasTestProperty && isTestPuzzle(payload.puzzleBytes)) {
      const isWanted = isExpected(TEST_SITEKEY, expectedSitekey);
      return unsigned(isWanted ? 'property-test' : 'property-invalid', now, isWanted, payload.pageData);
    }
    const fields = verifySignature(payload.puzzleBytes, payload.signature, deps.keyRing(), deps.hmac, buffer);
    if (fields === undefined) return unsigned('integrity-error', now);
    const sitekey = payload.puzzle.propertyId.toHex() as Sitekey;
    if (repeatHash === undefined) return checkSigned({ payload, sitekey, fields, now }, request);
    const repeatKey = { hash: repeatHash, nowSeconds: Math.floor(now / SECOND) };
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
    property: Property | undefined,
    given: SignedPayload,
    principal: VerificationRequest['principal'],
  ): Awaitable<Verdict> {
    if (property === undefined) return conclude('property-invalid', given);
    const signed: SignedPayload = { ...given, id: property.id, settings: settingsCode(property) };
    // Verdicts for a key without access count for the installation only: a tenant must not distort another's statistics.
    const rejected = { property: UNKNOWN_PROPERTY };
    if (!property.isEnabled)
      return conclude('error-other', signed, mayVerify(principal, property) ? {} : rejected);
    if (!principal.memberOf.has(property.organizationId))
      return conclude('property-owner-mismatch', signed, rejected);
    if (!mayVerify(principal, property)) return conclude('org-scope-error', signed, rejected);
    return checkWork(signed, property.allowance, deps.isInMaintenance());
  }
}

/** Creates the last checks: the proof of work, and the claim. */
function createWorkCheck(deps: VerifyDeps, { conclude }: ReturnType<typeof createVerdicts>) {
  function checkWork(signed: SignedPayload, maxCount: number, isInMaintenance: boolean): Awaitable<Verdict> {
    const { puzzle, puzzleBytes, solutions } = signed.payload;
    if (!areDistinct(solutions)) return conclude('solution-duplicates', signed);
    const threshold = toThreshold(puzzle.difficulty);
    if (!allMeetThreshold(solutions, toBlock(puzzleBytes), threshold, deps.hash)) {
      return conclude('solution-invalid', signed);
    }
    const { repeatKey, fields } = signed;
    const { puzzleId, expiresAtSeconds } = puzzle;
    const claim = { puzzleId, expiresAtSeconds, keyFingerprint: fields.keyFingerprint };
    return attempt(
      () =>
        repeatKey ? deps.guard.claimOnce(claim, maxCount, repeatKey) : deps.guard.claim(claim, maxCount),
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

/** Tells the load meter whose puzzle was verified. */
function recordVerified(
  { keyRing, hmac, load }: VerifyDeps,
  { payload, fields, now }: Pick<SignedPayload, 'payload' | 'fields' | 'now'>,
): void {
  const key = keyRing().byFingerprint(fields.keyFingerprint);
  if (key === undefined) return;
  const client = openClient(payload.puzzleBytes, key.secret, hmac);
  if (client !== undefined) load.verified(client, now);
}

/** Creates every verdict and counts it. */
function createVerdicts({ usage, properties }: Pick<VerifyDeps, 'usage' | 'properties'>) {
  /** The verdict on a payload without a valid signature. */
  function unsigned(name: VerdictName, now: Instant, success = false, pageData: PageData = {}): Verdict {
    const unknown = { origin: '', issuedAt: undefined, isUnavailable: false };
    const verdict: Verdict = { success, name, verifiedAt: now, pageData, ...unknown };
    usage.countVerdict(verdict, UNKNOWN_PROPERTY);
    return verdict;
  }

  /** @param options `property`: the verdict is counted for this property, by default the payload's */
  function conclude(
    name: VerdictName,
    signed: SignedPayload,
    options: {
      readonly success?: boolean;
      readonly isUnavailable?: boolean;
      readonly property?: CountedProperty;
    } = {},
  ): Verdict {
    const { property = signed, ...rest } = options;
    const verdict = verdictOn(signed, name, rest);
    usage.countVerdict(verdict, property, signed.payload.metadata);
    return verdict;
  }

  /** The verdict on a repeated request, which is not counted again. */
  function repeated(signed: SignedPayload, success: boolean): Verdict {
    return verdictOn(signed, success ? 'no-error' : 'solution-verified-before', { success });
  }

  /** Concludes before the property is checked; looks it up only to decide which property the verdict is counted for. */
  function concludeEarly(
    name: VerdictName,
    signed: SignedPayload,
    principal: VerificationRequest['principal'],
  ): Awaitable<Verdict> {
    return attempt(
      () => properties.bySitekey(signed.sitekey),
      (found) => {
        const isCounted = found === undefined || mayVerify(principal, found);
        return conclude(name, signed, isCounted ? {} : { property: UNKNOWN_PROPERTY });
      },
      () => conclude(name, signed, { property: UNKNOWN_PROPERTY }),
    );
  }

  return { unsigned, conclude, concludeEarly, repeated };
}

function verdictOn(
  { fields, now, payload }: SignedPayload,
  name: VerdictName,
  {
    success = false,
    isUnavailable = false,
  }: { readonly success?: boolean; readonly isUnavailable?: boolean },
): Verdict {
  const issuedAt = (fields.issuedAtSeconds * SECOND) as Instant;
  const { pageData } = payload;
  return { success, name, origin: fields.host, verifiedAt: now, issuedAt, isUnavailable, pageData };
}

/** Whether the key's user belongs to the property's organization, and the key is not limited to another organization. */
function mayVerify(
  { memberOf, organizationId }: VerificationRequest['principal'],
  property: Property,
): boolean {
  const isInScope = organizationId === undefined || organizationId === property.organizationId;
  return isInScope && memberOf.has(property.organizationId);
}

/** The signature's size is part of the format; `verifySignature` checks its content. */
function hasSignatureSize({ signature }: Payload): boolean {
  return signature.length >= SIGNATURE_SIZES.min && signature.length <= SIGNATURE_SIZES.max;
}

function isExpected(sitekey: Sitekey, expected: string | undefined): boolean {
  if (expected === undefined || expected === sitekey) return true;
  const parsed = parseSitekey(expected);
  return parsed.ok && parsed.value === sitekey;
}
