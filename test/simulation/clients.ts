import { HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';
import { formTime, type Group, type World } from './world.ts';

/** Who visits and who attacks. All times are in milliseconds since midnight. */

export type Period = { readonly from: number; readonly until: number };

/** Runs something at random times with a rate that depends on the time. */
function atRate(
  world: World,
  { from, until }: Period,
  { rate, peak }: { readonly rate: (time: number) => number; readonly peak: number },
  run: () => void,
): void {
  const next = (after: number) => {
    const time = after + world.random.exponential() / peak;
    if (time >= until) return;
    world.at(time, () => {
      if (world.random.unit() * peak < rate(time)) run();
      next(time);
    });
  };
  next(from);
}

/** Visitors per millisecond in the course of a day: few at night, twice the mean at 8 p.m. */
function dailyRate(visitsPerDay: number): (time: number) => number {
  return (time) => {
    const hour = (time / HOUR) % 24;
    return (visitsPerDay / (24 * HOUR)) * (1 + 0.95 * Math.cos(((hour - 20) * Math.PI) / 12));
  };
}

/** Share of visitors who send the form. */
const SENDS = 0.75;
/** Share of visitors who request a second puzzle, for example after a reload. */
const REPEATS = 0.1;

/** One visit of a person: a puzzle, often a form, and sometimes a second puzzle. */
export function visit(world: World, group: Group, client: number, sends = SENDS): void {
  const { random } = world;
  world.puzzle(group, client, { isVerified: random.unit() < sends, after: formTime(random) });
  if (random.unit() >= REPEATS) return;
  const later = world.now() + random.logNormal(15 * SECOND, 0.5);
  world.at(later, () =>
    world.puzzle(group, client, { isVerified: random.unit() < sends, after: formTime(random) }),
  );
}

/**
 * The visitors of an ordinary website: six of ten come from homes, three from mobile carriers with 256 shared addresses in four /24 networks each, and
 * one from one of 40 companies and schools.
 */
export function createCrowd(world: World) {
  const { random } = world;
  const carriers = Array.from({ length: 4 * 4 }, () => random.integer(2 ** 26)).flatMap((network) =>
    Array.from({ length: 64 }, () => world.addressIn(network)),
  );
  const companies = Array.from({ length: 40 }, () => world.address());
  const anyOf = (addresses: readonly number[]) => addresses[random.integer(addresses.length)] ?? 0;
  return {
    home: world.address,
    mobile: () => anyOf(carriers),
    any() {
      const kind = random.unit();
      if (kind < 0.6) return world.address();
      return anyOf(kind < 0.9 ? carriers : companies);
    },
  };
}

export type Crowd = ReturnType<typeof createCrowd>;

export const VISITS_PER_DAY = 20_000;

/** An ordinary day after an ordinary week of which the server has seen two days. */
export function ordinaryDay(world: World, crowd: Crowd, until: number): Group {
  const people = world.group('people', false);
  const rate = dailyRate(VISITS_PER_DAY);
  atRate(world, { from: -48 * HOUR, until }, { rate, peak: rate(20 * HOUR) }, () =>
    visit(world, people, crowd.any()),
  );
  return people;
}

/** Visitors at a constant mean rate. */
export function visitors(
  world: World,
  group: Group,
  period: Period,
  perMinute: number,
  clientOf: () => number,
): void {
  const peak = perMinute / MINUTE;
  atRate(world, period, { rate: () => peak, peak }, () => visit(world, group, clientOf()));
}

export type Bot = {
  /** The address of the n-th request. */
  readonly clientOf: (request: number) => number;
  readonly perMinute: number;
  readonly isVerified: boolean;
  readonly isOld?: boolean;
};

/** A program that requests puzzles at regular times, and sends the form two seconds after it has received the puzzle. */
export function bot(world: World, group: Group, { from, until }: Period, options: Bot): void {
  const step = MINUTE / options.perMinute;
  const request = (count: number) => {
    const time = from + count * step;
    if (time >= until) return;
    world.at(time, () => {
      const { isVerified, isOld = false } = options;
      world.puzzle(group, options.clientOf(count), { isVerified, isOld, after: 2 * SECOND });
      request(count + 1);
    });
  };
  request(0);
}
