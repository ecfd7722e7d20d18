import { beforeAll, describe, expect, test } from 'bun:test';
import { difficultyOf } from '../../src/captcha/difficulty.ts';
import { createLoadMeter } from '../../src/captcha/load.ts';
import type { Growth } from '../../src/model/propertyFields.ts';
import { textOf } from '../architecture/tree.ts';
import { plotsOf } from './plots.ts';
import { type Report, withTables } from './report.ts';
import { factorOf, summariesOf } from './results.ts';
import { play, SCENARIOS } from './scenarios.ts';
import type { Group } from './world.ts';

/** The targets for the difficulty, checked with the code of the server on a simulated clock. */

const code = { createLoadMeter, difficultyOf };
const stored: Report = JSON.parse(await textOf('test/simulation/results.json'));
const { seed } = stored;

/** These scenarios are repeated; the others take longer. */
const REPEATED = [
  'ordinary-day',
  'flash-crowd',
  'flash-crowd-mobile',
  'company',
  'carrier',
  'carrier-abuser',
  'hammer',
  'hammer-unverified',
  'rotation',
  'botnet',
  'botnet-hosted',
  'everything',
  'old-widgets',
  'downgrading-botnet',
  'downgrading-farm',
  'downgrading-farm-rule',
  'hashwx-farm',
] as const;

function scenarioOf(name: string) {
  const scenario = SCENARIOS.find((one) => one.name === name);
  if (scenario === undefined) throw new Error(`no scenario ${name}`);
  return scenario;
}

const played = new Map<string, readonly Group[]>();
beforeAll(() => {
  for (const name of REPEATED) played.set(name, play(scenarioOf(name), { code, growth: 'medium', seed }));
});

/** The cost of each puzzle of a group, as a multiple of the level's work. */
function costsOf(scenario: (typeof REPEATED)[number], group: string): readonly number[] {
  const found = played.get(scenario)?.find(({ name }) => name === group);
  return found?.rises.map(factorOf) ?? [];
}

const mean = (costs: readonly number[]) => costs.reduce((sum, cost) => sum + cost, 0) / costs.length;
const p95 = (costs: readonly number[]) =>
  costs.toSorted((a, b) => a - b)[Math.floor(0.95 * (costs.length - 1))] ?? Number.NaN;

/** The megahashes that 95% of the people need at most, which are the seconds on a slow phone. */
function slowPhone(scenario: (typeof REPEATED)[number], group: string): number {
  const summaries = summariesOf(scenarioOf(scenario), played.get(scenario) ?? [], seed);
  return summaries.find((summary) => summary.group === group)?.megahashes[1] ?? Number.NaN;
}

describe('people', () => {
  test('pay the level on an ordinary day', () => {
    expect(p95(costsOf('ordinary-day', 'people'))).toBe(1);
  });

  test('of a flash crowd wait at most 1.35 times as long on a slow phone as on a quiet day, and twice as long if many share addresses', () => {
    const quiet = slowPhone('ordinary-day', 'people');
    expect(p95(costsOf('flash-crowd', 'flash crowd'))).toBeLessThanOrEqual(1.3);
    expect(slowPhone('flash-crowd', 'flash crowd') / quiet).toBeLessThanOrEqual(1.35);
    expect(slowPhone('flash-crowd-mobile', 'flash crowd') / quiet).toBeLessThanOrEqual(2);
  });

  test('who share the address of a company or a carrier pay at most four times the level', () => {
    expect(p95(costsOf('company', 'neighbors'))).toBeLessThanOrEqual(4);
    expect(p95(costsOf('carrier', 'neighbors'))).toBeLessThanOrEqual(4);
  });

  test('behind one address with an abuser who solves nothing pay at most 28 times the level', () => {
    // 25 times is the limit of open puzzles; their own verified puzzles add a little.
    expect(Math.max(...costsOf('carrier-abuser', 'neighbors'))).toBeLessThanOrEqual(28);
  });

  test('pay at most 1.3 times the level during a botnet attack, and 20 times if they share an address', () => {
    expect(p95(costsOf('botnet', 'people'))).toBeLessThanOrEqual(1.3);
    expect(p95(costsOf('everything', 'neighbors'))).toBeLessThanOrEqual(20);
  });
});

describe('an attacker', () => {
  test('with one address and 60 puzzles per minute pays at least 20 times as much as a person, whether it verifies them or not', () => {
    for (const scenario of ['hammer', 'hammer-unverified'] as const) {
      const person = mean(costsOf(scenario, 'people'));
      expect(mean(costsOf(scenario, 'attacker')) / person).toBeGreaterThanOrEqual(20);
    }
    // After half an hour of verified puzzles, a hundred times as much.
    const later = costsOf('hammer', 'attacker').slice(1800);
    expect(Math.min(...later) / mean(costsOf('hammer', 'people'))).toBeGreaterThanOrEqual(100);
  });

  test('with 60 puzzles per minute from a rotating /48 pays at least 20 times as much as a person', () => {
    const costs = costsOf('rotation', 'attacker');
    expect(mean(costs) / mean(costsOf('rotation', 'people'))).toBeGreaterThanOrEqual(20);
  });

  /** The n-th puzzle of each of the 1,000 addresses of the botnet. */
  const roundOf = (costs: readonly number[], round: number) => costs.slice((round - 1) * 1000, round * 1000);

  test('with 1,000 addresses pays at least 8 times as much for the 1,000th solution of an address as for the first', () => {
    const costs = costsOf('botnet', 'attacker');
    expect(costs[0]).toBe(1);
    expect(Math.min(...roundOf(costs, 1000))).toBeGreaterThanOrEqual(8);
    // The rise takes less than an hour.
    expect(Math.min(...roundOf(costs, 60))).toBeGreaterThanOrEqual(8);
    // One solution per address costs as much as that of a visitor.
    expect(costs[999]).toBeLessThanOrEqual(1.3);
  });

  test('pays at least 30 times as much on fast', () => {
    const { name, ...botnet } = scenarioOf('botnet');
    const options = { code, growth: 'fast' as Growth, seed };
    const groups = play({ ...botnet, name, period: { ...botnet.period, until: 4.1 * 3_600_000 } }, options);
    const costs = groups.find((group) => group.name === 'attacker')?.rises.map(factorOf) ?? [];
    expect(costs[0]).toBe(1);
    expect(Math.min(...roundOf(costs, 120))).toBeGreaterThanOrEqual(30);
  });

  test('with 1,000 addresses in four /24 networks pays at least 8 times as much for its 1,000th solution as for its first', () => {
    const costs = costsOf('botnet-hosted', 'attacker');
    expect(costs[0]).toBe(1);
    expect(costs[999]).toBeGreaterThanOrEqual(8);
  });
});

describe('downgrades of a property with HashWX', () => {
  test('cost nothing if they are usual', () => {
    for (const group of ['people', 'old widgets']) expect(p95(costsOf('old-widgets', group))).toBe(1);
  });

  test('cost bots that have never requested a puzzle before at least 3.5 times as much as HashWX does', () => {
    const [old, current] = (['downgrading-farm', 'hashwx-farm'] as const).map((name) =>
      mean(costsOf(name, 'attacker')),
    );
    expect((old ?? Number.NaN) / (current ?? Number.NaN)).toBeGreaterThanOrEqual(3.5);
  });

  test('cost bots four times as much with a rule that adds 16 levels', () => {
    const ruled = mean(costsOf('downgrading-farm-rule', 'attacker'));
    expect(ruled / mean(costsOf('downgrading-farm', 'attacker'))).toBeCloseTo(4);
    expect(p95(costsOf('downgrading-farm-rule', 'people'))).toBe(p95(costsOf('downgrading-farm', 'people')));
  });

  test('of bots do not cost people with newer widgets anything, and those with old widgets at most four times as much', () => {
    for (const name of ['downgrading-farm', 'downgrading-botnet'] as const) {
      expect(p95(costsOf(name, 'people'))).toBeLessThanOrEqual(p95(costsOf('hashwx-farm', 'people')));
      expect(p95(costsOf(name, 'old widgets'))).toBeLessThanOrEqual(4 * 1.3);
    }
  });
});

describe('docs/explanation/difficulty.md shows the results of the current code', () => {
  // Run `bun run simulate --write` after a change of the curves, the load meter, or the scenarios.
  test.each([...REPEATED])('%s', (name) => {
    const scenario = scenarioOf(name);
    expect(summariesOf(scenario, played.get(name) ?? [], seed)).toEqual([...(stored.medium[name] ?? [])]);
  });

  test('in its tables', async () => {
    const page = await textOf('docs/explanation/difficulty.md');
    expect(withTables(page, stored)).toBe(page);
  });

  test('in its plots', async () => {
    for (const [file, contents] of plotsOf(stored))
      expect([file, await textOf(file)]).toEqual([file, contents]);
  });
});
