import { HOUR, MINUTE } from '../../src/lib/time.ts';
import { bot, type Crowd, createCrowd, ordinaryDay, type Period, visitors } from './clients.ts';
import { createWorld, type Group, type World, type WorldOptions } from './world.ts';

/** A situation that operators see. Every scenario contains the visitors of an ordinary day. */
export type Scenario = {
  readonly name: string;
  readonly title: string;
  /** One sentence about what happens. */
  readonly about: string;
  /** The measured time. */
  readonly period: Period;
  /** See WorldOptions. */
  readonly oldShare?: number;
  readonly ruleLevels?: number;
  /** Adds the other clients. */
  readonly play: (world: World, crowd: Crowd) => void;
};

const AT_NOON: Period = { from: 12 * HOUR, until: 13 * HOUR };
const hours = (from: number, length: number): Period => ({
  from: from * HOUR,
  until: (from + length) * HOUR,
});

/** Takes turns. */
const rotate = (addresses: readonly number[]) => (request: number) =>
  addresses[request % addresses.length] ?? 0;

/** A botnet whose addresses take turns. */
function botnet(
  world: World,
  period: Period,
  addresses: readonly number[],
  perMinuteAndAddress: number,
  isOld = false,
): void {
  bot(world, world.group('attacker', true), period, {
    clientOf: rotate(addresses),
    perMinute: addresses.length * perMinuteAndAddress,
    isVerified: true,
    isOld,
  });
}

const addresses = (world: World, count: number) => Array.from({ length: count }, world.address);

function hammer(
  world: World,
  period: Period,
  perMinute: number,
  isVerified: boolean,
  client = world.address(),
): void {
  bot(world, world.group('attacker', true), period, { clientOf: () => client, perMinute, isVerified });
}

/** A carrier's address that many people share. */
function carrier(world: World, period: Period): number {
  const client = world.address();
  visitors(world, world.group('neighbors', false), period, 12, () => client);
  return client;
}

function flashCrowd(world: World, clientOf: () => number): void {
  const period = { from: 12 * HOUR, until: 12 * HOUR + 5 * MINUTE };
  visitors(world, world.group('flash crowd', false), period, 2000 / 1.1, clientOf);
}

// biome-ignore format: a table
export const SCENARIOS: readonly Scenario[] = [
  { name: 'ordinary-day', title: 'Ordinary day', about: '20,000 visits from homes, carriers, and companies', period: hours(0, 24), play() {} },
  { name: 'flash-crowd', title: 'Flash crowd', about: '10,000 visitors within five minutes, each from an address of its own', period: { from: 12 * HOUR, until: 12 * HOUR + 10 * MINUTE },
    play: (world) => flashCrowd(world, world.address) },
  { name: 'flash-crowd-mobile', title: 'Flash crowd, mobile', about: 'the same, but 40% come from carriers with 1,024 shared addresses', period: { from: 12 * HOUR, until: 12 * HOUR + 10 * MINUTE },
    play: (world, crowd) => flashCrowd(world, () => (world.random.unit() < 0.4 ? crowd.mobile() : crowd.home())) },
  { name: 'company', title: 'Company', about: '300 people behind one address within half an hour', period: { from: 9 * HOUR, until: 9.5 * HOUR },
    play(world) { const client = world.address(); visitors(world, world.group('neighbors', false), { from: 9 * HOUR, until: 9.5 * HOUR }, 10, () => client); } },
  { name: 'carrier', title: 'Mobile carrier', about: '12 visits per minute from one shared address, in the third hour', period: hours(20, 1),
    play(world) { carrier(world, hours(18, 3)); } },
  { name: 'carrier-abuser', title: 'Carrier with an abuser', about: 'one of the people behind the address also requests two puzzles per second, and verifies none', period: AT_NOON,
    play(world) { hammer(world, AT_NOON, 120, false, carrier(world, AT_NOON)); } },
  { name: 'hammer', title: 'Hammering client', about: 'one address requests 60 puzzles per minute for an hour, and verifies all', period: AT_NOON,
    play: (world) => hammer(world, AT_NOON, 60, true) },
  { name: 'hammer-unverified', title: 'Hammering client, unverified', about: 'the same, but it verifies none', period: AT_NOON,
    play: (world) => hammer(world, AT_NOON, 60, false) },
  { name: 'hammer-fast', title: 'Hammering client, fast', about: 'the same at 120 per minute, the default rate limit, and all verified', period: AT_NOON,
    play: (world) => hammer(world, AT_NOON, 120, true) },
  { name: 'scraper', title: 'Slow scraper', about: 'one address requests five puzzles per minute all day', period: hours(0, 24),
    play: (world) => hammer(world, hours(0, 24), 5, true) },
  { name: 'rotation', title: 'Rotation in a /48', about: '60 puzzles per minute, each from another /64 of an IPv6 /48', period: AT_NOON,
    play(world) { const network = world.random.integer(2 ** 26); bot(world, world.group('attacker', true), AT_NOON, { clientOf: () => world.addressIn(network, true), perMinute: 60, isVerified: true }); } },
  { name: 'rotation-fast', title: 'Rotation in a /48, fast', about: 'the same at 600 per minute', period: AT_NOON,
    play(world) { const network = world.random.integer(2 ** 26); bot(world, world.group('attacker', true), AT_NOON, { clientOf: () => world.addressIn(network, true), perMinute: 600, isVerified: true }); } },
  { name: 'botnet', title: 'Botnet of 1,000', about: 'each address solves a puzzle per minute for 17 hours', period: { from: 2 * HOUR, until: 19 * HOUR },
    play: (world) => botnet(world, { from: 2 * HOUR, until: 19 * HOUR }, addresses(world, 1000), 1) },
  { name: 'botnet-hosted', title: 'Botnet of 1,000, hosted', about: 'the same for an hour from four IPv4 /24 networks', period: AT_NOON,
    play(world) {
      const networks = Array.from({ length: 4 }, () => world.random.integer(2 ** 26));
      botnet(world, AT_NOON, Array.from({ length: 1000 }, (_, bot) => world.addressIn(networks[bot % 4] ?? 0)), 1);
    } },
  { name: 'botnet-large', title: 'Botnet of 100,000', about: 'each address solves a puzzle every ten minutes for an hour', period: AT_NOON,
    play: (world) => botnet(world, AT_NOON, addresses(world, 100_000), 0.1) },
  { name: 'solver-farm', title: 'Solver farm', about: '5,000 residential proxies, 300 puzzles per minute in total, for six hours', period: hours(12, 6),
    play: (world) => botnet(world, hours(12, 6), addresses(world, 5000), 0.06) },
  { name: 'gpu', title: 'GPU attacker', about: '200 addresses with 30 puzzles per minute each for an hour', period: AT_NOON,
    play: (world) => botnet(world, AT_NOON, addresses(world, 200), 30) },
  { name: 'crowd-and-botnet', title: 'Flash crowd and botnet', about: 'a mobile flash crowd in the third hour of the botnet of 1,000', period: { from: 12 * HOUR, until: 12 * HOUR + 10 * MINUTE },
    play(world, crowd) {
      flashCrowd(world, () => (world.random.unit() < 0.4 ? crowd.mobile() : crowd.home()));
      botnet(world, { from: 10 * HOUR, until: 12 * HOUR + 10 * MINUTE }, addresses(world, 1000), 1);
    } },
  { name: 'everything', title: 'Everything at once', about: 'an ordinary noon with a carrier, a hammering client, a rotation in a /48, and the botnet of 1,000', period: AT_NOON,
    play(world) {
      carrier(world, AT_NOON);
      hammer(world, AT_NOON, 60, true);
      bot(world, world.group('rotation', true), AT_NOON, { clientOf: () => world.addressIn(4711, true), perMinute: 60, isVerified: true });
      botnet(world, { from: 10 * HOUR, until: 13 * HOUR }, addresses(world, 1000), 1);
    } },
  { name: 'old-widgets', title: 'Old widgets', about: 'an ordinary day of a property with HashWX, where one in ten people has an old widget', period: hours(0, 24), oldShare: 0.1, play() {} },
  { name: 'downgrading-botnet', title: 'Downgrading botnet', about: 'the botnet of 1,000 attacks a property with HashWX for an hour and announces an old version, as one in fifty people does', period: AT_NOON, oldShare: 0.02,
    play: (world) => botnet(world, AT_NOON, addresses(world, 1000), 1, true) },
  { name: 'downgrading-farm', title: 'Downgrading solver farm', about: 'the same with the solver farm, for six hours', period: hours(12, 6), oldShare: 0.02,
    play: (world) => botnet(world, hours(12, 6), addresses(world, 5000), 0.06, true) },
  { name: 'downgrading-farm-rule', title: 'Downgrading solver farm, with a rule', about: 'the same, but a rule adds 16 levels to downgraded puzzles', period: hours(12, 6), oldShare: 0.02, ruleLevels: 16,
    play: (world) => botnet(world, hours(12, 6), addresses(world, 5000), 0.06, true) },
  { name: 'hashwx-farm', title: 'Solver farm with HashWX', about: 'the same without the rule, but the farm solves HashWX', period: hours(12, 6), oldShare: 0.02,
    play: (world) => botnet(world, hours(12, 6), addresses(world, 5000), 0.06) },
];

/** Runs a scenario. @returns its groups, whose puzzles outside of the measured time are removed */
export function play(scenario: Scenario, options: WorldOptions): readonly Group[] {
  const { oldShare, ruleLevels } = scenario;
  const world = createWorld({ ...options, oldShare, ruleLevels });
  const crowd = createCrowd(world);
  const { from, until } = scenario.period;
  ordinaryDay(world, crowd, until);
  scenario.play(world, crowd);
  world.runUntil(until);
  return world.groups.map(({ times, rises, ...group }) => {
    const start = times.findIndex((time) => time >= from);
    return {
      ...group,
      times: start < 0 ? [] : times.slice(start),
      rises: start < 0 ? [] : rises.slice(start),
    };
  });
}
