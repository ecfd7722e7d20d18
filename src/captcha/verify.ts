import { type Clock, type Instant, instantOfSeconds, SECOND } from '../lib/time.ts';
import type { Principal } from '../model/apiKey.ts';
import type { Awaitable, PropertyLookup } from '../model/ports.ts';
import { type Property, parseSitekey, type Sitekey, TEST_SITEKEY } from '../model/property.ts';
import { areDistinct, blockOf, doAllMeet, type Hash } from '../puzzle/check.ts';
import { type Payload, parsePayload } from '../puzzle/solution.ts';
import { thresholdOf } from '../puzzle/threshold.ts';
import type { Admission, ReplayGuard } from './replay.ts';
import {
  createScratch,
  type Hmac,
  type KeyRing,
  openSignature,
  SIGNATURE_SIZES,
  type SignedFacts,
} from './signature.ts';
import { isTestPuzzle } from './testProperty.ts';
import type { Verdict, VerdictName } from './verdict.ts';

export type Presentation = {
  /** What the hidden field held. */
  readonly payload: string;
  readonly principal: Principal;
  /** The sitekey that the caller expects, if it said so. */
  readonly expectedSitekey: string | undefined;
};

export type VerifySolution = (presentation: Presentation) => Awaitable<Verdict>;

export type VerifyDeps = {
  readonly properties: PropertyLookup;
  readonly guard: ReplayGuard;
  readonly keyRing: () => KeyRing;
  readonly hmac: Hmac;
  readonly hash: Hash;
  readonly clock: Clock;
  /** Set by the operator, or because the main database fails. */
  readonly isInMaintenance: () => boolean;
  /** Told why a claim could not be kept, or a property not be read. */
  readonly onFailure: (what: 'claim' | 'property', error: unknown) => void;
  readonly hasTestProperty: boolean;
};

/** Everything known of a payload once its signature held. */
type Opened = { readonly payload: Payload; readonly facts: SignedFacts; readonly now: Instant };

/**
 * Judges a payload: cheap checks first, the first failure wins, and the only write, the claim, last, so that
 * nobody can spend a stranger's puzzle with rubbish.
 *
 * @see docs/protocol.md#order-of-checks
 */
export function createVerifySolution(deps: VerifyDeps): VerifySolution {
  const scratch = createScratch();

  return ({ payload: text, principal, expectedSitekey }) => {
    const now = deps.clock();
    const payload = parsePayload(text);
    if (payload === undefined || !hasSignatureSize(payload)) return bare('solution-bad-format', now);
    if (deps.hasTestProperty && isTestPuzzle(payload.puzzleBytes)) {
      return isExpected(TEST_SITEKEY, expectedSitekey)
        ? { ...bare('property-test', now), success: true }
        : bare('property-invalid', now);
    }
    const facts = openSignature(payload.puzzleBytes, payload.signature, deps.keyRing(), deps.hmac, scratch);
    if (facts === undefined) return bare('integrity-error', now);
    const opened: Opened = { payload, facts, now };
    if (now >= instantOfSeconds(payload.puzzle.expiresAtSeconds)) {
      return verdictOf('puzzle-expired', opened);
    }
    const sitekey = payload.puzzle.propertyId.toHex() as Sitekey;
    if (!isExpected(sitekey, expectedSitekey)) return verdictOf('property-invalid', opened);
    return withProperty(sitekey, opened, principal);
  };

  function withProperty(sitekey: Sitekey, opened: Opened, principal: Principal): Awaitable<Verdict> {
    let property: Awaitable<Property | undefined>;
    try {
      property = deps.properties.bySitekey(sitekey);
    } catch (error) {
      return judgeUnread(error, opened);
    }
    // Not within the `try`: an error of ours while judging is no unreadable database, and never a success.
    if (!(property instanceof Promise)) return judge(property, opened, principal);
    return property.then(
      (found) => judge(found, opened, principal),
      (error) => judgeUnread(error, opened),
    );
  }

  /** The database cannot be read and memory does not know the property: the puzzle's own proof must do. */
  function judgeUnread(error: unknown, opened: Opened): Awaitable<Verdict> {
    deps.onFailure('property', error);
    return proveAndClaim(opened, 1, true);
  }

  function judge(property: Property | undefined, opened: Opened, principal: Principal): Awaitable<Verdict> {
    if (property === undefined) return verdictOf('property-invalid', opened);
    if (!property.isEnabled) return verdictOf('error-other', opened);
    if (!principal.memberOf.has(property.organizationId)) return verdictOf('property-owner-mismatch', opened);
    const scope = principal.organizationId;
    if (scope !== undefined && scope !== property.organizationId) return verdictOf('org-scope-error', opened);
    return proveAndClaim(opened, property.allowance, deps.isInMaintenance());
  }

  function proveAndClaim(opened: Opened, allowance: number, isInMaintenance: boolean): Awaitable<Verdict> {
    const { puzzle, puzzleBytes, solutions } = opened.payload;
    if (!areDistinct(solutions)) return verdictOf('solution-duplicates', opened);
    const threshold = thresholdOf(puzzle.difficulty);
    if (!doAllMeet(solutions, blockOf(puzzleBytes), threshold, deps.hash)) {
      return verdictOf('solution-invalid', opened);
    }
    const admission = deps.guard.admit(puzzle, allowance);
    if (!(admission instanceof Promise)) return admitted(admission, opened, isInMaintenance);
    return admission.then(
      (given) => admitted(given, opened, isInMaintenance),
      (error) => {
        deps.onFailure('claim', error);
        return { ...verdictOf('error-other', opened), isUnavailable: true };
      },
    );
  }
}

function admitted(admission: Admission, opened: Opened, isInMaintenance: boolean): Verdict {
  if (admission !== 'first') {
    return { ...verdictOf('solution-verified-before', opened), success: admission === 'repeat' };
  }
  return { ...verdictOf(isInMaintenance ? 'maintenance-mode' : 'no-error', opened), success: true };
}

/** The signature's size is part of the format; what it says is judged by `openSignature`. */
function hasSignatureSize({ signature }: Payload): boolean {
  return signature.length >= SIGNATURE_SIZES.min && signature.length <= SIGNATURE_SIZES.max;
}

function isExpected(sitekey: Sitekey, expected: string | undefined): boolean {
  if (expected === undefined || expected === sitekey) return true;
  const parsed = parseSitekey(expected);
  return parsed.ok && parsed.value === sitekey;
}

/** A verdict of which nothing but the time is known. */
function bare(name: VerdictName, now: Instant): Verdict {
  return { success: false, name, origin: '', verifiedAt: now, issuedAt: undefined, isUnavailable: false };
}

function verdictOf(name: VerdictName, { facts, now }: Opened): Verdict {
  const issuedAt = (facts.issuedAtSeconds * SECOND) as Instant;
  return { success: false, name, origin: facts.host, verifiedAt: now, issuedAt, isUnavailable: false };
}
