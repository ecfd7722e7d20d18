import { toClient } from '../../src/captcha/clientLoad.ts';
import type { Signals } from '../../src/captcha/difficulty.ts';
import type { LoadMeter } from '../../src/captcha/load.ts';
import { type Instant, MINUTE, SECOND } from '../../src/lib/time.ts';
import type { PropertyId } from '../../src/model/property.ts';
import type { Growth } from '../../src/model/propertyFields.ts';
import { createEventQueue } from './queue.ts';
import { createSource, type Source } from './random.ts';

/** The code whose behavior is simulated. Earlier versions of the load meter have no `verified`. */
export type Code = {
  readonly createLoadMeter: (
    capacity: number,
  ) => Pick<LoadMeter, 'observe'> & Partial<Pick<LoadMeter, 'verified'>>;
  readonly difficultyOf: (level: number, growth: Growth, signals: Signals) => number;
};

/** A group of clients whose puzzles are measured together. */
export type Group = {
  readonly name: string;
  /** Whether it pays for the work of its puzzles. */
  readonly isAttacker: boolean;
  /** The time of each puzzle in milliseconds since the start of the day, and its difficulty above the level. */
  readonly times: number[];
  readonly rises: number[];
};

/** How a client behaves after it has received a puzzle. */
export type Behavior = {
  /** Whether the protected website verifies the solution, which is so if the client sends the form. */
  readonly isVerified: boolean;
  /** Milliseconds until the solution is verified. */
  readonly after: number;
  /** Whether it announces an old version of puzzles, if the property requires HashWX. By default, a share of the people does. */
  readonly isOld?: boolean;
};

/** A simulated server with one property, its clients, and its clock. Time 0 is midnight of the measured day. */
export type World = {
  readonly random: Source;
  readonly now: () => number;
  readonly group: (name: string, isAttacker: boolean) => Group;
  readonly groups: readonly Group[];
  /** Runs something at a time. */
  readonly at: (time: number, run: () => void) => void;
  /** A client requests a puzzle now, and verifies its solution later. */
  readonly puzzle: (group: Group, client: number, behavior: Behavior) => void;
  /** A new address, in a network of its own. */
  readonly address: () => number;
  /** An address in a wide network: an IPv4 /24, or an IPv6 /48. */
  readonly addressIn: (network: number, isIpv6?: boolean) => number;
  /** Runs until a time. */
  readonly runUntil: (time: number) => void;
};

export type WorldOptions = {
  readonly code: Code;
  readonly growth: Growth;
  readonly seed: number;
  /** The share of people who announce an old version of puzzles; undefined if the property requires BLAKE2b. */
  readonly oldShare?: number | undefined;
  /** The levels that a rule adds to downgraded puzzles. */
  readonly ruleLevels?: number | undefined;
};

/** The group of the people who announce an old version of puzzles. */
const OLD = 'old widgets';

export const LEVEL = 128;
const PROPERTY = 1 as PropertyId;
const MIDNIGHT = Date.UTC(2026, 5, 10);
/** As in the server: see LOAD_CAPACITY. */
const CAPACITY = 131_072;
const HALF = 2 ** 26;

export function createWorld({ code, growth, seed, oldShare, ruleLevels = 0 }: WorldOptions): World {
  const random = createSource(seed);
  const queue = createEventQueue();
  const meter = code.createLoadMeter(CAPACITY);
  const groups: Group[] = [];
  let now = Number.NEGATIVE_INFINITY;
  const instant = () => (MIDNIGHT + now) as Instant;
  function groupNamed(name: string, isAttacker: boolean): Group {
    const group = { name, isAttacker, times: [], rises: [] };
    groups.push(group);
    return group;
  }
  const old = oldShare === undefined ? undefined : groupNamed(OLD, false);
  const addressIn: World['addressIn'] = (network, isIpv6) => toClient(network, random.integer(HALF), isIpv6);

  return {
    random,
    groups,
    now: () => now,
    addressIn,
    address: () => addressIn(random.integer(HALF)),
    group: groupNamed,
    at: queue.add,
    puzzle(given, client, { isVerified, after, ...behavior }) {
      const isOld = oldShare === undefined ? undefined : (behavior.isOld ?? random.unit() < oldShare);
      const group = isOld && !given.isAttacker && old ? old : given;
      const kind = isOld === undefined ? undefined : { version: 3, isDowngraded: isOld };
      const signals = meter.observe(client, PROPERTY, instant(), kind);
      const level = LEVEL + (isOld ? ruleLevels : 0);
      const difficulty = code.difficultyOf(level, growth, signals);
      // Puzzles before midnight only teach the server the usual traffic.
      if (now >= 0) {
        group.times.push(now);
        group.rises.push(difficulty - LEVEL);
      }
      if (isVerified) queue.add(now + after, () => meter.verified?.(client, difficulty, instant()));
    },
    runUntil(end) {
      for (let event = queue.next(end); event !== undefined; event = queue.next(end)) {
        now = event.at;
        event.run();
      }
      now = end;
    },
  };
}

/** The time that a person needs to complete a form: median 20 seconds, one in twenty more than 70. */
export function formTime(random: Source): number {
  return random.logNormal(20 * SECOND, 0.76);
}

export const perMinute = (rate: number): number => MINUTE / rate;
