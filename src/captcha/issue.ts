import { base64Of } from '../lib/bytes.ts';
import type { Random } from '../lib/ids.ts';
import { type Outcome, refuse } from '../lib/outcome.ts';
import { type Clock, secondsOf } from '../lib/time.ts';
import type { Awaitable, PropertyLookup } from '../model/ports.ts';
import { type Property, type Sitekey, TEST_SITEKEY } from '../model/property.ts';
import { SOLUTION_COUNT, stampPuzzle } from '../puzzle/puzzle.ts';
import { difficultyOf } from './difficulty.ts';
import type { LoadMeter } from './load.ts';
import { isPageOf, pageHostOf } from './origin.ts';
import { createScratch, type Hmac, type KeyRing, seal } from './signature.ts';
import { testPuzzleText } from './testProperty.ts';
import type { Count } from './usage.ts';

export type Ask = {
  readonly sitekey: Sitekey;
  /** The page's `Origin`, where there is one. */
  readonly origin: string | undefined;
  /** Who asks, blinded; told apart for growth. */
  readonly client: number;
};

export type IssueProblem = 'origin-missing' | 'property-unknown' | 'origin-not-allowed' | 'unavailable';

export type Issued = {
  /** `base64(puzzle) "." base64(signature)`. */
  readonly text: string;
  /** The test puzzle: the same for everybody, for ever. */
  readonly isTest: boolean;
};

export type IssueOutcome = Outcome<Issued, IssueProblem>;

export type IssuePuzzle = (ask: Ask) => Awaitable<IssueOutcome>;

export type IssueDeps = {
  readonly properties: PropertyLookup;
  readonly load: LoadMeter;
  readonly keyRing: () => KeyRing;
  readonly hmac: Hmac;
  readonly clock: Clock;
  /** Fills with random bytes. */
  readonly random: Random;
  readonly hasTestProperty: boolean;
  readonly count: Pick<Count, 'issued'>;
  /** Told why a property could not be read. */
  readonly onFailure: (error: unknown) => void;
};

/** Signs a puzzle for a page that may have one. Synchronous for properties that were seen before. */
export function createIssuePuzzle(deps: IssueDeps): IssuePuzzle {
  const draw = createDraw(deps);
  const testPuzzle: IssueOutcome = { ok: true, value: { text: testPuzzleText(), isTest: true } };

  function issueTo(property: Property | undefined, host: string | undefined, client: number): IssueOutcome {
    if (property === undefined || !property.isEnabled) return refuse('property-unknown');
    if (host === undefined || !isPageOf(property, host)) return refuse('origin-not-allowed');
    return { ok: true, value: { text: draw(property, host, client), isTest: false } };
  }

  /** The database cannot be read and memory does not know the property. */
  function unread(error: unknown): IssueOutcome {
    deps.onFailure(error);
    return refuse('unavailable');
  }

  return ({ sitekey, origin, client }) => {
    if (sitekey === TEST_SITEKEY) {
      return deps.hasTestProperty ? testPuzzle : refuse('property-unknown');
    }
    if (origin === undefined) return refuse('origin-missing');
    const host = pageHostOf(origin);
    let property: Awaitable<Property | undefined>;
    try {
      property = deps.properties.bySitekey(sitekey);
    } catch (error) {
      return unread(error);
    }
    // No promise where there is none: a turn of the event loop is a tenth of what a puzzle costs.
    return property instanceof Promise
      ? property.then((found) => issueTo(found, host, client), unread)
      : issueTo(property, host, client);
  };
}

function createDraw(deps: IssueDeps): (property: Property, host: string, client: number) => string {
  const scratch = createScratch();
  return (property, host, client) => {
    const now = deps.clock();
    const signals = deps.load.observe(client, property.sitekey, now);
    const issuedAtSeconds = secondsOf(now);
    deps.random(scratch.puzzle);
    stampPuzzle(scratch.puzzle, {
      propertyId: Uint8Array.fromHex(property.sitekey),
      difficulty: difficultyOf(property.level, property.growth, signals),
      solutionCount: SOLUTION_COUNT,
      expiresAtSeconds: issuedAtSeconds + property.validitySeconds,
    });
    const signature = seal(scratch, { host, issuedAtSeconds }, deps.keyRing(), deps.hmac);
    deps.count.issued(property, now);
    return `${base64Of(scratch.puzzle)}.${base64Of(signature)}`;
  };
}
