import {
  SOLVERS,
  type SolverName,
  solveDollars,
  solveSeconds,
  type Work,
  workOf,
} from '../../src/captcha/solveCosts.ts';
import type { Results, Summary } from './results.ts';
import { SCENARIOS } from './scenarios.ts';
import { LEVEL } from './world.ts';

/** The results of all growths, and those on `medium` of the version before the load meter was tuned. */
export type Report = {
  readonly seed: number;
  readonly before: Results;
  readonly slow: Results;
  readonly medium: Results;
  readonly fast: Results;
};

export const GROWTHS = ['slow', 'medium', 'fast'] as const;

/** The scenarios of a property with BLAKE2b, and those of a property with HashWX, which have a table of their own. */
const BLAKE2B_SCENARIOS = SCENARIOS.filter(({ oldShare }) => oldShare === undefined);
const HASHWX_SCENARIOS = SCENARIOS.filter(({ oldShare }) => oldShare !== undefined);

const titleOf = (name: string) => SCENARIOS.find((scenario) => scenario.name === name)?.title ?? name;

export function format(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return '–';
  if (value >= 100) return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',');
  return value >= 10 ? value.toFixed(0) : value.toFixed(value < 0.1 ? 2 : 1);
}

/** The group with this name, or the people of an ordinary day. */
const groupOf = (results: Results, scenario: string, group: string) =>
  results[scenario]?.find((summary) => summary.group === group);

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

const OWNED = ['slowPhone', 'phone', 'laptop'] as const satisfies readonly SolverName[];

/** Seconds for people on each device: median, 95th and 99th percentile, on `medium`. */
function peopleTable({ medium }: Report): string {
  const rows = BLAKE2B_SCENARIOS.flatMap(({ name, title }) =>
    (medium[name] ?? [])
      .filter(({ isAttacker }) => !isAttacker)
      .map((summary) => [
        `${title}: ${summary.group}`,
        format(summary.mean),
        ...OWNED.map((device) =>
          summary.megahashes
            .map((megahashes) => format((megahashes * 1e6) / SOLVERS[device].rates.blake2b))
            .join(', '),
        ),
      ]),
  );
  return table(['scenario and people', 'mean cost', 'slow phone, s', 'phone, s', 'laptop, s'], rows);
}

/** The mean work of an attacker's puzzles, which is a multiple of the level's work. */
function workOfAttacker(
  summary: Summary | undefined,
  level = LEVEL,
  kind: Work['challenge'] = 'blake2b',
): Work {
  const { challenge, attempts } = workOf(level, kind);
  return { challenge, attempts: attempts * (summary?.mean ?? Number.NaN) };
}

const dollars = (value = Number.NaN) => `$${value < 0.01 ? value.toPrecision(2) : value.toFixed(2)}`;

/** What attackers pay on `medium` for a thousand solutions. */
function attackerTable({ medium }: Report): string {
  const rows = BLAKE2B_SCENARIOS.flatMap(({ name, title }) =>
    (medium[name] ?? [])
      .filter(({ isAttacker }) => isAttacker)
      .map((summary) => {
        const work = workOfAttacker(summary);
        const people = groupOf(medium, name, 'people');
        return [
          summary.group === 'attacker' ? title : `${title}: ${summary.group}`,
          format(summary.mean),
          format(summary.mean / (people?.mean ?? 1)),
          format(1000 * solveSeconds(work, 'serverCore')),
          dollars(solveDollars(work, 'serverCore', 1000)),
          dollars(solveDollars(work, 'gpu', 1000)),
        ];
      }),
  );
  return table(
    ['scenario', 'mean cost', 'relative to people', 'core-seconds', 'on server cores', 'on a GPU'],
    rows,
  );
}

/** The mean cost of the people and attackers who differ most, before and after. */
function comparisonTable(report: Report): string {
  const rows = COMPARED.map(([scenario, group]) => [
    group === 'attacker' ? titleOf(scenario) : `${titleOf(scenario)}: ${group}`,
    ...[report.before, ...GROWTHS.map((growth) => report[growth])].map((results) => {
      const summary = groupOf(results, scenario, group);
      return `${format(summary?.mean)} (${format(summary?.factors[1])})`;
    }),
  ]);
  return table(['scenario', 'before, medium', 'slow', 'medium', 'fast'], rows);
}

const COMPARED = [
  ['ordinary-day', 'people'],
  ['flash-crowd', 'flash crowd'],
  ['flash-crowd-mobile', 'flash crowd'],
  ['company', 'neighbors'],
  ['carrier', 'neighbors'],
  ['carrier-abuser', 'neighbors'],
  ['crowd-and-botnet', 'flash crowd'],
  ['everything', 'neighbors'],
  ['hammer', 'attacker'],
  ['hammer-unverified', 'attacker'],
  ['scraper', 'attacker'],
  ['rotation', 'attacker'],
  ['botnet', 'attacker'],
  ['botnet-hosted', 'attacker'],
  ['botnet-large', 'attacker'],
  ['solver-farm', 'attacker'],
  ['gpu', 'attacker'],
] as const;

/** The mean cost and the 95th percentile in the scenarios of a property with HashWX. */
function downgradeTable(report: Report): string {
  const rows = HASHWX_SCENARIOS.flatMap(({ name, title }) =>
    (report.medium[name] ?? []).map(({ group }) => [
      `${title}: ${group}`,
      ...GROWTHS.map((growth) => {
        const summary = groupOf(report[growth], name, group);
        return `${format(summary?.mean)} (${format(summary?.factors[1])})`;
      }),
    ]),
  );
  return table(['scenario and group', ...GROWTHS], rows);
}

/** The kinds of work for one ordinary visitor and for the GPU attacker. */
function kindTable({ medium }: Report): string {
  const attacker = groupOf(medium, 'gpu', 'attacker');
  const rows = (
    [
      [128, 'blake2b'],
      [152, 'blake2b'],
      [152, 'argon2id'],
      [160, 'blake2b'],
      [160, 'argon2id'],
      [128, 'hashwx'],
      [152, 'hashwx'],
      [160, 'hashwx'],
    ] as const
  ).map(([level, kind]) => {
    const raised = workOfAttacker(attacker, level, kind);
    return [
      `${level}, ${kind}`,
      ...OWNED.map((device) => format(solveSeconds(workOf(level, kind), device))),
      dollars(solveDollars(raised, 'serverCore', 1000)),
      dollars(solveDollars(raised, 'gpu', 1000)),
    ];
  });
  return table(
    [
      'level and kind',
      'slow phone, s',
      'phone, s',
      'laptop, s',
      'attacker on server cores',
      'attacker on a GPU',
    ],
    rows,
  );
}

/** The tables of docs/explanation/difficulty.md by the heading above them. */
export function tablesOf(report: Report): ReadonlyMap<string, string> {
  return new Map([
    ['Before and after', comparisonTable(report)],
    ['What people wait', peopleTable(report)],
    ['What attackers pay', attackerTable(report)],
    ['The kind of work', kindTable(report)],
    ['Simulated downgrades', downgradeTable(report)],
  ]);
}

/** @returns the page with new tables @throws Error if a heading or its table is missing */
export function withTables(page: string, report: Report): string {
  let result = page;
  for (const [heading, contents] of tablesOf(report)) {
    const start = result.indexOf(`\n### ${heading}\n`);
    const section = start < 0 ? '' : result.slice(start);
    const old = /^\|[\s\S]*?\|$(?!\n\|)/m.exec(section)?.[0];
    if (old === undefined) throw new Error(`difficulty.md has no table under "${heading}"`);
    result = result.slice(0, start) + section.replace(old, () => contents);
  }
  return result;
}
