import { type Clock, type Instant, instantOfSeconds, SECOND } from '../lib/time.ts';
import type { Principal } from '../model/apiKey.ts';
import type { Awaitable, PropertyLookup } from '../model/ports.ts';
import {
  type Property,
  type PropertyId,
  parseSitekey,
  type Sitekey,
  TEST_SITEKEY,
} from '../model/property.ts';
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
import { type Count, type Counted, NOBODY } from './usage.ts';
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
  readonly count: Pick<Count, 'judged'>;
};

/** Everything known of a payload once its signature held. */
type Opened = {
  readonly payload: Payload;
  readonly sitekey: Sitekey;
  /** The property's, once it is found. */
  readonly id?: PropertyId;
  readonly facts: SignedFacts;
  readonly now: Instant;
};

/**
 * Judges a payload: cheap checks first, the first failure wins, and the only write, the claim, last, so that
 * nobody can spend a stranger's puzzle with rubbish.
 *
 * @see docs/reference/protocol.md#order-of-checks
 */
export function createVerifySolution(deps: VerifyDeps): VerifySolution {
  const scratch = createScratch();

  const { bare, end, endUnjudged } = createEndings(deps);

  return ({ payload: text, principal, expectedSitekey }) => {
    const now = deps.clock();
    const payload = parsePayload(text);
    if (payload === undefined || !hasSignatureSize(payload)) return bare('solution-bad-format', now);
    if (deps.hasTestProperty && isTestPuzzle(payload.puzzleBytes)) {
      const isWanted = isExpected(TEST_SITEKEY, expectedSitekey);
      return bare(isWanted ? 'property-test' : 'property-invalid', now, isWanted);
    }
    const facts = openSignature(payload.puzzleBytes, payload.signature, deps.keyRing(), deps.hmac, scratch);
    if (facts === undefined) return bare('integrity-error', now);
    const sitekey = payload.puzzle.propertyId.toHex() as Sitekey;
    const opened: Opened = { payload, sitekey, facts, now };
    if (now >= instantOfSeconds(payload.puzzle.expiresAtSeconds))
      return endUnjudged('puzzle-expired', opened, principal);
    if (!isExpected(sitekey, expectedSitekey)) return endUnjudged('property-invalid', opened, principal);
    return withProperty(opened, principal);
  };

  function withProperty(opened: Opened, principal: Principal): Awaitable<Verdict> {
    let property: Awaitable<Property | undefined>;
    try {
      property = deps.properties.bySitekey(opened.sitekey);
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

  function judge(property: Property | undefined, given: Opened, principal: Principal): Awaitable<Verdict> {
    if (property === undefined) return end('property-invalid', given);
    const opened: Opened = { ...given, id: property.id };
    if (!property.isEnabled)
      return end('error-other', opened, false, false, mayVerify(principal, property) ? opened : NOBODY);
    // Counted for the installation: a tenant must not fill another tenant's statistics.
    if (!principal.memberOf.has(property.organizationId))
      return end('property-owner-mismatch', opened, false, false, NOBODY);
    if (!mayVerify(principal, property)) return end('org-scope-error', opened, false, false, NOBODY);
    return proveAndClaim(opened, property.allowance, deps.isInMaintenance());
  }

  function proveAndClaim(opened: Opened, allowance: number, isInMaintenance: boolean): Awaitable<Verdict> {
    const { puzzle, puzzleBytes, solutions } = opened.payload;
    if (!areDistinct(solutions)) return end('solution-duplicates', opened);
    const threshold = thresholdOf(puzzle.difficulty);
    if (!doAllMeet(solutions, blockOf(puzzleBytes), threshold, deps.hash)) {
      return end('solution-invalid', opened);
    }
    const admission = deps.guard.admit(puzzle, allowance);
    if (!(admission instanceof Promise)) return admitted(admission, opened, isInMaintenance);
    return admission.then(
      (given) => admitted(given, opened, isInMaintenance),
      (error) => {
        deps.onFailure('claim', error);
        return end('error-other', opened, false, true);
      },
    );
  }

  function admitted(admission: Admission, opened: Opened, isInMaintenance: boolean): Verdict {
    if (admission !== 'first') return end('solution-verified-before', opened, admission === 'repeat');
    return end(isInMaintenance ? 'maintenance-mode' : 'no-error', opened, true);
  }
}

/** How verifications end: every verdict is made here, and counted. */
function createEndings({ count, properties }: Pick<VerifyDeps, 'count' | 'properties'>) {
  /** Only the time is known. */
  function bare(name: VerdictName, now: Instant, success = false): Verdict {
    const unknown = { origin: '', issuedAt: undefined, isUnavailable: false };
    const verdict: Verdict = { success, name, verifiedAt: now, ...unknown };
    count.judged(verdict, NOBODY);
    return verdict;
  }

  /** @param of the property whose statistics count the verdict, or NOBODY */
  function end(
    name: VerdictName,
    opened: Opened,
    success = false,
    isUnavailable = false,
    of: Counted = opened,
  ): Verdict {
    const { facts, now, payload } = opened;
    const issuedAt = (facts.issuedAtSeconds * SECOND) as Instant;
    const verdict: Verdict = {
      success,
      name,
      origin: facts.host,
      verifiedAt: now,
      issuedAt,
      isUnavailable,
    };
    count.judged(verdict, of, payload.metadata);
    return verdict;
  }

  /** Ends before the property is checked; the property is looked up only to decide whose statistics count the verdict. */
  function endUnjudged(name: VerdictName, opened: Opened, principal: Principal): Awaitable<Verdict> {
    const countFor = (of: Counted) => end(name, opened, false, false, of);
    const countFound = (found: Property | undefined) =>
      countFor(found === undefined || mayVerify(principal, found) ? opened : NOBODY);
    try {
      const property = properties.bySitekey(opened.sitekey);
      if (!(property instanceof Promise)) return countFound(property);
      return property.then(countFound, () => countFor(NOBODY));
    } catch {
      return countFor(NOBODY);
    }
  }

  return { bare, end, endUnjudged };
}

/** Whether a key's user owns or shares the property's organization, and the key is not limited to another one. */
function mayVerify({ memberOf, organizationId }: Principal, property: Property): boolean {
  const isWithin = organizationId === undefined || organizationId === property.organizationId;
  return isWithin && memberOf.has(property.organizationId);
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
