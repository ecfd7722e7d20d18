import { describe, expect, test } from 'bun:test';
import { clientCellsFor, createClientLoad, decay, toClient } from '../../src/captcha/clientLoad.ts';
import { difficultyOf } from '../../src/captcha/difficulty.ts';
import { createLoadMeter } from '../../src/captcha/load.ts';
import { lowestLevelOf, SOLVER_NAMES, solveDollars, workOf } from '../../src/captcha/solveCosts.ts';
import { DAY, type Instant, MINUTE } from '../../src/lib/time.ts';
import type { PropertyId } from '../../src/model/property.ts';
import type { Counts, SharedCounts } from '../../src/model/sharedCounts.ts';

const START = Date.UTC(2026, 0, 31) as Instant;
const PROPERTY = 1 as PropertyId;

describe('a client', () => {
  test('has 25 bits for its network, a bit for IPv6, and 26 bits for its address', () => {
    expect(toClient(0, 0)).toBe(0);
    expect(toClient(0, 2 ** 26 - 1)).toBe(2 ** 26 - 1);
    expect(toClient(1, 0)).toBe(2 ** 26);
    expect(toClient(2 ** 25 - 1, 2 ** 26 - 1)).toBe(2 ** 51 - 1);
    expect(toClient(0, 0, true)).toBe(2 ** 51);
    expect(toClient(2 ** 25 + 1, 2 ** 26 + 1)).toBe(toClient(1, 1));
  });

  test.each([
    ['an IPv4 network, a quarter', false, 0, 0.25],
    ['an IPv6 network, a half', true, 0, 0.5],
    ['another IPv6 network, a half', true, 77, 0.5],
  ])('adds to the load of its neighbors in %s', (_, isIpv6, network, share) => {
    const load = createClientLoad(new Float64Array(clientCellsFor(64)));
    for (let n = 0; n < 40; n++) load.add(toClient(network, 1, isIpv6), 1, 0, START);
    load.add(toClient(network, 2, isIpv6), 1, 0, START);
    expect(load.last.own).toBeCloseTo(40 * share, 6);
    load.add(toClient(network + 1, 2, isIpv6), 1, 0, START);
    expect(load.last.own).toBe(0);
  });

  test('is never mistaken for a network', () => {
    const load = createClientLoad(new Float64Array(clientCellsFor(64)));
    for (let n = 0; n < 40; n++) load.add(toClient(5, 1), 1, 0, START);
    for (let address = 0; address < 300; address++) {
      load.add(toClient(0, address), 0, 0, START);
      expect(load.last.own).toBe(0);
    }
  });

  test('has a rank: its open and verified puzzles', () => {
    const load = createClientLoad(new Float64Array(clientCellsFor(8)));
    expect(load.rankOf(7)).toBe(0);
    for (const client of [7, 8, 9]) {
      for (let n = 0; n < 10; n++) load.add(client, 1, 0, START);
      expect(load.rankOf(client)).toBe(10);
      load.verify(client, 4, START);
      // A verification moves puzzles from one number to the other.
      expect(load.rankOf(client)).toBe(10);
      load.verify(client, 100, START);
      expect(load.rankOf(client)).toBe(104);
    }
    expect(load.rankOf(10)).toBe(0);
  });

  test('pays with its verified puzzles, which leak before others are added', () => {
    const load = createClientLoad(new Float64Array(clientCellsFor(8)));
    const later = (START + 10 * MINUTE) as Instant;
    for (let n = 0; n < 100; n++) load.add(7, 1, 0, START);
    load.verify(7, 100, START);
    load.verify(7, 1, later);
    const expected = createClientLoad(new Float64Array(clientCellsFor(8)));
    for (let n = 0; n < 100; n++) expected.add(7, 1, 0, START);
    expected.verify(7, 100, START);
    // Measures the load, and lets the buckets leak.
    expected.add(7, 0, 0, later);
    const before = expected.rankOf(7);
    expect(before).toBeLessThan(100);
    expect(load.rankOf(7)).toBeCloseTo(before + 1, 6);
  });

  test('that is not in memory is not changed by a verification, and changes no other one', () => {
    const cells = new Float64Array(clientCellsFor(8));
    const load = createClientLoad(cells);
    for (const client of [1, 2, 3]) load.add(client, 5, 0, START);
    const before = cells.slice();
    load.verify(toClient(9, 9), 3, (START + 1) as Instant);
    expect(cells).toEqual(before);
    expect([1, 2, 3, toClient(9, 9)].map(load.rankOf)).toEqual([5, 5, 5, 0]);
  });

  test('stays in a full set for another minute for each of its recent puzzles', () => {
    // Seven clients and their wide network.
    const load = createClientLoad(new Float64Array(clientCellsFor(8)));
    for (const client of [1, 2, 3, 4, 5, 6, 7]) load.add(client, client === 7 ? 4 : 1, 0, START);
    const later = (START + MINUTE) as Instant;
    for (const client of [1, 2, 3, 4, 5, 6]) load.add(client, 1, 0, later);
    // The seventh client ranks four minutes after START, and the others less than three.
    load.add(8, 1, 0, later);
    expect(load.rankOf(8)).toBe(1);
    expect(load.rankOf(7)).toBe(4);
  });
});

test('the decay is close to the exponential function', () => {
  for (const x of [0, 0.0001, 0.000999, 0.001, 0.0011, 0.1, 1, 10])
    expect(Math.abs(decay(x) - Math.exp(-x))).toBeLessThan(1e-6);
});

test('the work doubles for a client with five more puzzles than usual, on medium', () => {
  const at = (clientFill: number) => difficultyOf(128, 'medium', { clientFill, propertyFill: 0 });
  expect([0, 5, 15, 35].map(at)).toEqual([128, 136, 144, 152]);
});

describe('the load that nodes share', () => {
  type Kind = 'clients' | 'verified' | 'properties' | 'downgraded';

  /** A meter of a node, and its counts. */
  function openNode(...kinds: readonly Kind[]) {
    const shared: Partial<Record<Kind, SharedCounts>> = {};
    const shareOf = (kind: Kind) => (counts: SharedCounts) => {
      shared[kind] = counts;
    };
    const shares = kinds.map((kind) => [kind, shareOf(kind)]);
    const meter = createLoadMeter(64, 64, Object.fromEntries(shares));
    return { meter, shared };
  }
  const entriesOf = (counts: Counts | undefined) => [...(counts ?? [])];

  test('consists of the puzzles of clients and properties, and of the verified ones', () => {
    const { meter, shared } = openNode('clients', 'verified', 'properties');
    for (let n = 0; n < 3; n++) meter.observe(7, PROPERTY, START);
    meter.verified(7, 128, START);
    meter.verified(7, 120, START);
    expect(entriesOf(shared.clients?.take(10))).toEqual([[7, 3]]);
    expect(entriesOf(shared.verified?.take(10))).toEqual([[7, 1.5]]);
    const [[property, puzzles] = []] = entriesOf(shared.properties?.take(10));
    expect(property).toBe(PROPERTY);
    expect(puzzles).toBeGreaterThan(2);
    expect(puzzles).toBeLessThanOrEqual(3);
    for (const kind of ['clients', 'verified', 'properties'] as const)
      expect(entriesOf(shared[kind]?.take(10))).toEqual([]);
  });

  test('raises the load of the same client on other nodes', () => {
    const { meter, shared } = openNode('clients', 'verified', 'properties');
    shared.clients?.add(new Map([[7, 30]]), START);
    expect(meter.observe(7, PROPERTY, START).clientFill).toBe(30);
    expect(meter.observe(toClient(9, 9), PROPERTY, START).clientFill).toBe(0);
    shared.verified?.add(new Map([[7, 200]]), START);
    expect(meter.observe(7, PROPERTY, START).clientFill).toBeGreaterThan(190);
  });

  test('raises the load of the same property on other nodes', () => {
    const { meter, shared } = openNode('clients', 'verified', 'properties');
    meter.observe(7, PROPERTY, START);
    const before = meter.peek(PROPERTY, START).propertyFill;
    shared.properties?.add(new Map([[PROPERTY, 500]]), START);
    expect(meter.peek(PROPERTY, START).propertyFill).toBeGreaterThan(before + 1);
    expect(meter.peek(2 as PropertyId, START).propertyFill).toBe(0);
  });

  test('contains the downgraded puzzles of a property, which count on other nodes like their own', () => {
    const [one, other] = [openNode('properties', 'downgraded'), openNode('properties', 'downgraded')];
    let now = START;
    const observe = ({ meter }: typeof one, client: number, isDowngraded: boolean) =>
      meter.observe(client, PROPERTY, now, { version: 3, isDowngraded });
    for (let minute = 0; minute < 2 * 24 * 60; minute++) {
      now = (START + minute * MINUTE) as Instant;
      for (const node of [one, other]) observe(node, minute, false);
    }
    for (const { shared } of [one, other])
      for (const kind of ['properties', 'downgraded'] as const) shared[kind]?.take(10);
    for (let n = 0; n < 2000; n++) observe(one, toClient(n + 1, n), true);
    const [all, downgraded] = (['properties', 'downgraded'] as const).map((kind) =>
      one.shared[kind]?.take(10),
    );
    expect(entriesOf(downgraded)).toEqual([[PROPERTY, 2000]]);
    expect(entriesOf(downgraded)).toEqual(entriesOf(all));
    other.shared.properties?.add(all ?? new Map(), now);
    other.shared.downgraded?.add(downgraded ?? new Map(), now);
    const [first, second] = [one, other].map((node) => observe(node, 2e6, true).downgradeExcess ?? 0);
    expect(second).toBeGreaterThan(4);
    expect(Math.abs((first ?? 0) - (second ?? 0))).toBeLessThan(0.01);
  });

  test('contains no downgraded puzzles of a property whose puzzles are not downgraded', () => {
    const { meter, shared } = openNode('properties', 'downgraded');
    meter.observe(7, PROPERTY, START);
    meter.observe(7, PROPERTY, START, { version: 3, isDowngraded: false });
    expect(shared.properties?.take(10).size).toBe(1);
    expect(entriesOf(shared.downgraded?.take(10))).toEqual([]);
  });

  test('of properties with BLAKE2b does not replace what is known about the downgrades of others', () => {
    const excessAfter = (others: number) => {
      const { meter, shared } = openNode('properties');
      const observe = (client: number, minute: number, isDowngraded: boolean) =>
        meter.observe(client, PROPERTY, (START + minute * MINUTE) as Instant, { version: 3, isDowngraded });
      const minutes = 2 * 24 * 60;
      for (let minute = 0; minute < minutes; minute++) observe(minute, minute, false);
      for (let n = 0; n < 200; n++) observe(toClient(n, n), minutes, true);
      const now = (START + (minutes + 1) * MINUTE) as Instant;
      for (let n = 0; n < others; n++) shared.properties?.add(new Map([[1000 + n, 1]]), now);
      return observe(toClient(999, 999), minutes + 1, true).downgradeExcess ?? 0;
    };
    expect(excessAfter(0)).toBeGreaterThan(1);
    expect(excessAfter(1000)).toBe(excessAfter(0));
  });

  test('is that of the clients with the most use, if there are many', () => {
    const { meter, shared } = openNode('clients');
    for (const [client, count] of [
      [1, 1],
      [2, 5],
      [3, 3],
    ] as const)
      for (let n = 0; n < count; n++) meter.observe(client * 1000, PROPERTY, START);
    expect(
      entriesOf(shared.clients?.take(2))
        .map(([client]) => client)
        .toSorted(),
    ).toEqual([2000, 3000]);
  });

  test('is not collected by a single node', () => {
    const { meter } = openNode();
    meter.observe(7, PROPERTY, START);
    meter.verified(7, 128, START);
    expect(meter.observe(7, PROPERTY, START).clientFill).toBeGreaterThan(0);
  });
});

test('every property in memory has its own load, and unknown ones have none', () => {
  const meter = createLoadMeter(64, 8);
  for (let n = 0; n < 1000; n++) meter.observe(toClient(n, n), 1 as PropertyId, START);
  expect(meter.peek(1 as PropertyId, START).propertyFill).toBeGreaterThan(1);
  expect(meter.peek(2 as PropertyId, START).propertyFill).toBe(0);
  // At most twelve times the usual traffic, so that it is empty 15 minutes later.
  const later = (START + 7 * DAY) as Instant;
  for (let n = 0; n < 20_000; n++) meter.observe(toClient(n, n), 1 as PropertyId, later);
  expect(meter.peek(1 as PropertyId, later).propertyFill).toBeGreaterThan(11);
  expect(meter.peek(1 as PropertyId, later).propertyFill).toBeLessThanOrEqual(12);
  expect(meter.peek(1 as PropertyId, (later + 15 * MINUTE) as Instant).propertyFill).toBe(0);
});

test('only rented solvers have a price, and argon2id begins at level 152', () => {
  const work = workOf(160, 'argon2id');
  expect(SOLVER_NAMES.filter((name) => solveDollars(work, name, 1) !== undefined)).toEqual([
    'serverCore',
    'gpu',
  ]);
  expect([151, 152].map((level) => workOf(level, 'argon2id').challenge)).toEqual(['blake2b', 'argon2id']);
  expect((['blake2b', 'argon2id', 'hashwx'] as const).map(lowestLevelOf)).toEqual([0, 152, 60]);
});
