import { type Awaitable, attempt } from '../lib/awaitable.ts';
import { toBase64 } from '../lib/bytes.ts';
import type { Random } from '../lib/ids.ts';
import { type Outcome, reject } from '../lib/outcome.ts';
import { type Clock, toSeconds } from '../lib/time.ts';
import type { PropertyLookup } from '../model/ports/property.ts';
import { type Property, type Sitekey, TEST_SITEKEY } from '../model/property.ts';
import { fillPuzzle, SOLUTION_COUNT } from '../puzzle/puzzle.ts';
import { sealClient } from './clientSeal.ts';
import { difficultyOf } from './difficulty.ts';
import type { LoadMeter } from './load.ts';
import { isAllowedHost, parsePageHost } from './origin.ts';
import { createSigningBuffer, type Hmac, type KeyRing, writeSignature } from './signature.ts';
import { testPuzzleText } from './testProperty.ts';
import type { UsageCounter } from './usage.ts';

export type PuzzleRequest = {
  readonly sitekey: Sitekey;
  /** Value of the `Origin` header, or the page's origin from other headers; undefined if unknown. */
  readonly origin: string | undefined;
  /** The keyed hash of the client address, for difficulty growth. */
  readonly client: number;
};

export type IssueProblem = 'origin-missing' | 'property-unknown' | 'origin-not-allowed' | 'unavailable';

export type IssuedPuzzle = {
  /** `base64(puzzle) "." base64(signature)`. */
  readonly text: string;
  /** Whether it is the test property's puzzle, which is always the same. */
  readonly isTest: boolean;
};

export type IssueOutcome = Outcome<IssuedPuzzle, IssueProblem>;

export type IssuePuzzle = (request: PuzzleRequest) => Awaitable<IssueOutcome>;

export type IssueDeps = {
  readonly properties: PropertyLookup;
  readonly load: Pick<LoadMeter, 'observe'>;
  readonly keyRing: () => KeyRing;
  readonly hmac: Hmac;
  readonly clock: Clock;
  readonly random: Random;
  readonly hasTestProperty: boolean;
  readonly usage: Pick<UsageCounter, 'countPuzzle'>;
  /** Called with the reason if a property cannot be read. */
  readonly onFailure: (error: unknown) => void;
};

/** Issues a signed puzzle to a page that may use the property. Synchronous for cached properties. */
export function createIssuePuzzle(deps: IssueDeps): IssuePuzzle {
  const writePuzzle = createWritePuzzle(deps);
  const testPuzzle: IssueOutcome = { ok: true, value: { text: testPuzzleText(), isTest: true } };

  function issueFor(property: Property | undefined, host: string | undefined, client: number): IssueOutcome {
    if (property === undefined || !property.isEnabled) return reject('property-unknown');
    if (host === undefined || !isAllowedHost(property, host)) return reject('origin-not-allowed');
    return { ok: true, value: { text: writePuzzle(property, host, client), isTest: false } };
  }

  /** The database cannot be read, and the property is not cached. */
  function failed(error: unknown): IssueOutcome {
    deps.onFailure(error);
    return reject('unavailable');
  }

  return ({ sitekey, origin, client }) => {
    if (sitekey === TEST_SITEKEY) {
      return deps.hasTestProperty ? testPuzzle : reject('property-unknown');
    }
    if (origin === undefined) return reject('origin-missing');
    const host = parsePageHost(origin);
    return attempt(
      () => deps.properties.bySitekey(sitekey),
      (property) => issueFor(property, host, client),
      failed,
    );
  };
}

function createWritePuzzle(deps: IssueDeps): (property: Property, host: string, client: number) => string {
  const buffer = createSigningBuffer();
  return (property, host, client) => {
    const now = deps.clock();
    const signals = deps.load.observe(client, property.id, now);
    const issuedAtSeconds = toSeconds(now);
    deps.random(buffer.puzzle);
    fillPuzzle(buffer.puzzle, {
      propertyId: Uint8Array.fromHex(property.sitekey),
      difficulty: difficultyOf(property.level, property.growth, signals),
      solutionCount: SOLUTION_COUNT,
      expiresAtSeconds: issuedAtSeconds + property.validitySeconds,
    });
    const ring = deps.keyRing();
    sealClient(buffer.puzzle, buffer.sealNonce, client, ring.current().secret, deps.hmac);
    const signature = writeSignature(buffer, { host, issuedAtSeconds }, ring, deps.hmac);
    deps.usage.countPuzzle(property, now);
    return `${toBase64(buffer.puzzle)}.${toBase64(signature)}`;
  };
}
