import { type Awaitable, attempt } from '../lib/awaitable.ts';
import { toBase64 } from '../lib/bytes.ts';
import type { Random } from '../lib/ids.ts';
import { type Outcome, reject } from '../lib/outcome.ts';
import { type Clock, toSeconds } from '../lib/time.ts';
import { withAttackMode } from '../model/attackMode.ts';
import type { PropertyAndRevisions } from '../model/ports/property.ts';
import { type Property, type Sitekey, TEST_SITEKEY } from '../model/property.ts';
import { downgradeOf } from '../model/rules/rule.ts';
import type { PuzzleRejection } from '../model/traffic.ts';
import { isDowngraded, KINDS, workFor } from '../puzzle/kinds.ts';
import { fillPuzzle, type Puzzle } from '../puzzle/puzzle.ts';
import { createHmac } from '../sha256.ts';
import { difficultyOf } from './difficulty.ts';
import type { LoadMeter } from './load.ts';
import { hasDomain, isAllowedHost, isLocalhost, type PageHost, parsePageHost } from './origin.ts';
import type { RequestSource } from './rules/requestFacts.ts';
import type { AppliedRules, RulesOf } from './rules/ruleCache.ts';
import type { Decide } from './rules/rulings.ts';
import { createSigningBuffers, type Hmac, type KeyRing, sealClient, writeSignature } from './signature.ts';
import type { TrafficObserver } from './traffic/observeTraffic.ts';
import { testPuzzleText } from './unsignedPuzzles.ts';
import type { UsageCounter } from './usage.ts';

export type PuzzleRequest = {
  readonly sitekey: Sitekey;
  /** Value of the `Origin` header, or the page's origin from other headers; undefined if unknown. */
  readonly origin: string | undefined;
  /** The result of `parsePageHost` for this origin, if the caller knows it. */
  readonly host?: PageHost | undefined;
  /** The keyed hash of the client address, for difficulty growth. */
  readonly client: number;
  /** The newest version of puzzles that the client can solve. */
  readonly version: Puzzle['version'];
  /** Returns the values that rules depend on; called only if there are rules. Undefined if no rules apply. */
  readonly source?: () => RequestSource;
};

export type IssueProblem =
  | 'origin-missing'
  | 'property-unknown'
  | 'origin-not-allowed'
  | 'origin-without-domain'
  | 'rule-blocked'
  | 'unavailable';

export type IssuedPuzzle = {
  /** `base64(puzzle) "." base64(signature)`. */
  readonly text: string;
  /** Whether it is the test property's puzzle, which is always the same. */
  readonly isTest: boolean;
  /** How many times the property's secret for offline verification was replaced. */
  readonly offlineRotations: number;
};

export type IssueOutcome = Outcome<IssuedPuzzle, IssueProblem>;

/** @see createIssuePuzzle */
export type IssuePuzzle = ReturnType<typeof createIssuePuzzle>;

export type IssueDeps<Found extends Property = PropertyAndRevisions> = {
  readonly properties: {
    readonly bySitekey: (sitekey: Sitekey) => Awaitable<Found | undefined>;
  };
  /** @see RulesOf */
  readonly rulesOf: (property: Found) => ReturnType<RulesOf>;
  readonly decide: Decide;
  readonly load: Pick<LoadMeter, 'observe' | 'peek'>;
  readonly keyRing: () => KeyRing;
  readonly clock: Clock;
  readonly random: Random;
  readonly hasTestProperty: boolean;
  readonly usage: Pick<UsageCounter, 'countPuzzle'>;
  /** Undefined if requests are not recorded. */
  readonly traffic?: Pick<TrafficObserver, 'isDue' | 'issued' | 'rejected'> | undefined;
  /** Called with the reason if a property or its rules cannot be read. */
  readonly onFailure: (error: unknown) => void;
};

/** A client that the load meter does not know. */
const NO_CLIENT = 0;

/** Issues a signed puzzle to a page that may use the property. Synchronous for cached properties. */
export function createIssuePuzzle<Found extends Property>(deps: IssueDeps<Found>) {
  const hmac = createHmac();
  const writePuzzle = createWritePuzzle(deps, hmac);
  // Requests that a rule allows do not raise the difficulty of others, and their puzzles do not lower that of their address.
  const observe: LoadMeter['observe'] = (_, property, now) => deps.load.peek(property, now);
  const writeAllowed = createWritePuzzle({ ...deps, load: { ...deps.load, observe } }, hmac);
  const testPuzzle: IssueOutcome = {
    ok: true,
    value: { text: testPuzzleText(), isTest: true, offlineRotations: 0 },
  };

  function issueFor(
    property: Found | undefined,
    host: string | undefined,
    request: PuzzleRequest,
  ): Awaitable<IssueOutcome> {
    if (property === undefined) return reject('property-unknown');
    if (!property.isEnabled) return rejectKnown(property, 'property-disabled', host, request);
    if (host === undefined || !isAllowedHost(property, host))
      return rejectKnown(property, toOriginProblem(host), host, request);
    return attempt(
      () => deps.rulesOf(property),
      (rules) => issueWith(property, rules, host, request),
      failed,
    );
  }

  function issueWith(
    stored: Property,
    rules: AppliedRules | 'late' | undefined,
    host: string,
    request: PuzzleRequest,
  ): IssueOutcome {
    const { client, version, source } = request;
    if (rules === 'late') return rejectKnown(stored, 'unavailable', host, request);
    // Without a call of the clock if attack mode was never on.
    const property = stored.attackUntil === 0 ? stored : withAttackMode(stored, deps.clock());
    const ruling =
      rules && source && deps.decide(property, rules, withDowngrade(source, property, version), deps.clock());
    if (ruling?.kind === 'block') return rejectKnown(property, 'rule-blocked', host, request);
    const ruled = ruling === undefined ? property : { ...property, ...ruling };
    const text =
      ruling?.countsAsLoad === false
        ? writeAllowed(ruled, host, NO_CLIENT, version)
        : writePuzzle(ruled, host, client, version);
    if (deps.traffic?.isDue()) deps.traffic.issued(property, { host, source, now: deps.clock() });
    return { ok: true, value: { text, isTest: false, offlineRotations: stored.offlineRotations } };
  }

  /** Rejects and records a request for a known property. */
  function rejectKnown(
    property: Property,
    reason: Exclude<PuzzleRejection, 'rate-limited'>,
    host: string | undefined,
    { source }: PuzzleRequest,
  ): IssueOutcome {
    deps.traffic?.rejected(property, reason, { host, source, now: deps.clock() });
    return reject(reason === 'property-disabled' ? 'property-unknown' : reason);
  }

  /** The database cannot be read, and the property or its rules are not cached. */
  function failed(error: unknown): IssueOutcome {
    deps.onFailure(error);
    return reject('unavailable');
  }

  return (request: PuzzleRequest): Awaitable<IssueOutcome> => {
    const { sitekey, origin } = request;
    if (sitekey === TEST_SITEKEY) return deps.hasTestProperty ? testPuzzle : reject('property-unknown');
    if (origin === undefined) return reject('origin-missing');
    const host = request.host ?? parsePageHost(origin);
    return attempt(
      () => deps.properties.bySitekey(sitekey),
      (property) => issueFor(property, host, request),
      failed,
    );
  };
}

/** Adds to the values that the rules depend on whether the puzzle would be downgraded without them. */
function withDowngrade(
  source: () => RequestSource,
  { challenge, level }: Property,
  version: Puzzle['version'],
): () => RequestSource {
  const downgrade = isDowngraded(challenge, level, version) ? downgradeOf(challenge) : undefined;
  return downgrade === undefined ? source : () => ({ ...source(), downgrade });
}

type WritePuzzle = (
  property: Property,
  host: string,
  client: number,
  newestVersion: Puzzle['version'],
) => string;

function createWritePuzzle(
  deps: Pick<IssueDeps, 'clock' | 'load' | 'random' | 'keyRing' | 'usage'>,
  hmac: Hmac,
): WritePuzzle {
  const buffers = createSigningBuffers();
  return (property, host, client, newestVersion) => {
    const now = deps.clock();
    const { challenge, level, growth } = property;
    const kind =
      challenge === 'blake2b'
        ? undefined
        : { version: KINDS[challenge].version, isDowngraded: isDowngraded(challenge, level, newestVersion) };
    const signals = deps.load.observe(client, property.id, now, kind);
    const issuedAtSeconds = toSeconds(now);
    const work = workFor(challenge, difficultyOf(level, growth, signals), newestVersion);
    const buffer = buffers[work.version];
    deps.random(buffer.puzzle);
    fillPuzzle(buffer.puzzle, {
      ...work,
      propertyId: Uint8Array.fromHex(property.sitekey),
      expiresAtSeconds: issuedAtSeconds + property.validitySeconds,
    });
    const ring = deps.keyRing();
    sealClient(buffer.puzzle, buffer.sealNonce, client, ring.current().secret, hmac);
    const signature = writeSignature(buffer, { host, issuedAtSeconds }, ring, hmac);
    deps.usage.countPuzzle(property, now, kind?.isDowngraded);
    return `${toBase64(buffer.puzzle)}.${toBase64(signature)}`;
  };
}

function toOriginProblem(host: PageHost | undefined) {
  const isUnusable = host !== undefined && !hasDomain(host) && !isLocalhost(host);
  return isUnusable ? 'origin-without-domain' : 'origin-not-allowed';
}
