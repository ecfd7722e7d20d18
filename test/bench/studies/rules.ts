/**
 * `bun test/bench/studies/rules.ts`: measures the cost of rules for one request, in this thread and without HTTP. Alternates short windows of
 * all lists, and prints the fastest tenth and the median of the windows, because other programs can only slow a window down. Also
 * measures compiling a list and looking up addresses in a GeoIP file. Asserts no times.
 *
 * Environment: BENCH_WINDOWS (200).
 */

import type { RequestSource } from '../../../src/captcha/rules/requestFacts.ts';
import { createDecide } from '../../../src/captcha/rules/rulings.ts';
import { openGeoipDatabase } from '../../../src/geoip/geoipFile.ts';
import type { Instant } from '../../../src/lib/time.ts';
import type { RuleConditions } from '../../../src/model/rules/rule.ts';
import { property } from '../../captcha/fakes.ts';
import { compile, newRules } from '../../captcha/rules/rules.ts';
import { createGeoipFile } from '../../support/geoipFile.ts';

const WINDOWS = Number(process.env.BENCH_WINDOWS ?? 200);
/** Decisions in one window, about a millisecond. */
const SIZE = 2000;
const RULES = 100;

const each = <T>(count: number, create: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => create(index));
/** Words like those in the names of bots, without repetitions. */
const word = (index: number) => `${Bun.hash(String(index)).toString(36).slice(1, 7)}bot`;
const browser =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

/** The conditions of 100 rules. No list has a rule that matches, so that every rule is evaluated. */
const LISTS: Readonly<Record<string, ((rule: number) => RuleConditions) | undefined>> = {
  'no rules': undefined,
  'one network each': (rule) => ({ networks: [`${11 + rule}.0.0.0/8`] }),
  '60 networks each': (rule) => ({ networks: each(60, (n) => `${11 + rule}.${n}.0.0/16`) }),
  '60 IPv6 networks each': (rule) => ({ networks: each(60, (n) => `2001:${rule}:${n}::/48`) }),
  'one user agent each': (rule) => ({ userAgents: [`*${word(rule)}*`] }),
  'ten user agents each': (rule) => ({ userAgents: each(10, (n) => `*${word(rule * 10 + n)}*`) }),
  'one header each, 8 names': (rule) => ({ headers: [`x-${rule % 8}: *${word(rule)}*`] }),
  'one path each': (rule) => ({ paths: [`/shop/${word(rule)}*`] }),
  'patterns, alternating': (rule) =>
    [
      { userAgents: [`*${word(rule)}*`] },
      { userAgents: [`*${word(rule)}/*`], paths: [`/shop/${word(rule)}*`] },
      { headers: [`x-${rule % 2}: *${word(rule)}*`] },
      { paths: [`/${word(rule)}/*`] },
    ][rule % 4] ?? {},
  'one country each': (rule) => ({ countries: [['FR', 'US', 'BR', 'CN'][rule % 4] ?? ''] }),
  'all kinds, alternating': (rule) =>
    [
      { networks: [`${11 + rule}.0.0.0/8`] },
      { userAgents: [`*${word(rule)}*`] },
      { headers: [`x-${rule % 2}: *${word(rule)}*`] },
      { countries: ['FR'], asns: [rule + 1] },
      { paths: [`/shop/${word(rule)}*`] },
    ][rule % 5] ?? {},
};

/** Requests with different addresses and user agents. */
function createSources(address: (index: number) => string): readonly (() => RequestSource)[] {
  return each(256, (index) => {
    const headers = new Headers({
      'user-agent': `${browser} ${index}`,
      'x-1': 'text/html,application/xhtml+xml',
      'x-2': '1',
    });
    const client = address(index);
    return () => ({ address: () => client, header: (name) => headers.get(name), path: () => '/shop/cart' });
  });
}

const ipv4 = createSources((index) => `203.0.${index}.7`);
const ipv6 = createSources((index) => `2001:db8:${index.toString(16)}:1234:5678:9abc:def0:1`);

function createTarget(name: string, conditions: ((rule: number) => RuleConditions) | undefined) {
  const rules = conditions && compile(newRules(each(RULES, conditions)));
  const applied = { installation: undefined, property: rules };
  const decide = createDecide({
    geoip: () => ({ country: 'DE', asn: 64_496 }),
    countHit: () => {},
  });
  const sources = name.includes('IPv6') ? ipv6 : ipv4;
  const now = 0 as Instant;
  return () => {
    let decided = 0;
    for (let index = 0; index < SIZE; index++) {
      const source = sources[index % sources.length];
      if (source !== undefined && decide(property, applied, source, now) !== undefined) decided++;
    }
    if (decided > 0) throw new Error(`a rule of the list "${name}" matches`);
  };
}

function measure(work: () => void): number {
  const start = Bun.nanoseconds();
  work();
  return Bun.nanoseconds() - start;
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))] ?? Number.NaN;
}

function compareLists(): void {
  const targets = Object.entries(LISTS).map(([name, conditions]) => ({
    name,
    run: createTarget(name, conditions),
    times: [] as number[],
  }));
  for (let window = -20; window < WINDOWS; window++) {
    for (const { run, times } of targets) {
      const time = measure(run);
      if (window >= 0) times.push(time / SIZE);
    }
  }
  console.log(`one decision with ${RULES} rules, in ns (fastest tenth, median):`);
  for (const { name, times } of targets) {
    console.log(
      `  ${name.padEnd(26)} ${quantile(times, 0.1).toFixed(0).padStart(6)} ${quantile(times, 0.5).toFixed(0).padStart(6)}`,
    );
  }
}

function report(name: string, work: () => void, calls = 1): void {
  const times = each(WINDOWS, () => measure(work) / calls);
  console.log(
    `${name}: ${(quantile(times, 0.1) / 1000).toFixed(1)} µs, median ${(quantile(times, 0.5) / 1000).toFixed(1)} µs`,
  );
}

/**
 * The most work that the limits allow: 1,000 patterns of 250 characters that a user agent of 16,000 characters almost matches at as many
 * positions as possible. The search for a part compares the text wherever the sum of the characters is that of the part.
 */
function measureWorstCase(): void {
  const run = 'a'.repeat(122);
  const conditions = each(10, () => ({ userAgents: each(100, () => `*${run}aab${run}aca*`) }));
  const applied = { installation: undefined, property: compile(newRules(conditions)) };
  const decide = createDecide({
    geoip: () => ({ country: undefined, asn: undefined }),
    countHit: () => {},
  });
  const headers = new Headers({ 'user-agent': `${run}c${run}aaab`.repeat(64) });
  const source = () => ({
    address: () => undefined,
    header: (name: string) => headers.get(name),
    path: () => undefined,
  });
  report(
    '1,000 patterns against a user agent of 16,000 characters',
    () => void decide(property, applied, source, 0 as Instant),
  );
}

compareLists();
measureWorstCase();
const largest = newRules([
  { networks: each(6000, (n) => `${11 + (n >> 8)}.${n & 255}.0.0/16`) },
  { networks: each(4000, (n) => `2001:db8:${n.toString(16)}::/48`) },
]);
report('compiling 10,000 networks', () => void compile(largest));
const mixed = newRules(each(RULES, (rule) => LISTS['all kinds, alternating']?.(rule) ?? {}));
report('compiling 100 rules of all kinds', () => void compile(mixed));
const records = Object.fromEntries(
  each(1000, (n) => [`${20 + (n >> 8)}.${n & 255}.0.0/16`, { country: { iso_code: 'DE' } }]),
);
const geoip = openGeoipDatabase(createGeoipFile(records));
report(
  'a GeoIP lookup that is not cached',
  () => {
    for (let n = 0; n < 1000; n++) geoip.find(`${20 + (n >> 8)}.${n & 255}.1.1`);
  },
  1000,
);
