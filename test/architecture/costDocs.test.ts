import { describe, expect, test } from 'bun:test';
import {
  dollarsPerMillionSeconds,
  SOLVER_NAMES,
  SOLVERS,
  type SolverName,
  solveDollars,
  solveSeconds,
  workOf,
} from '../../src/captcha/solveCosts.ts';
import { type Challenge, SETTING_FIELDS } from '../../src/model/propertyFields.ts';
import { KINDS } from '../../src/puzzle/kinds.ts';
import { textOf } from './tree.ts';

/** Computes the tables of docs/explanation/proof-of-work.md. If the rates change, the failing tests print the new tables. */

const NAMES: Readonly<Record<SolverName, string>> = {
  slowPhone: 'slow phone',
  phone: 'phone',
  laptop: 'laptop',
  serverCore: 'server core',
  gpu: 'GPU',
};
const TITLES: Readonly<Record<Challenge, string>> = {
  blake2b: 'BLAKE2b',
  argon2id: 'argon2id',
  hashwx: 'HashWX',
};
const CHALLENGES = SETTING_FIELDS.challenge.choices;
const RENTED = ['serverCore', 'gpu'] as const satisfies readonly SolverName[];
const PRICED = 1e6;

/** Two significant digits. */
function rounded(value: number): string {
  return value >= 10 ? String(Number(value.toPrecision(2))) : value.toPrecision(2);
}

function timeOf(seconds: number): string {
  if (seconds < 0.001) return `${rounded(1e6 * seconds)} µs`;
  if (seconds < 1) return `${rounded(1000 * seconds)} ms`;
  return seconds < 120 ? `${rounded(seconds)} s` : `${rounded(seconds / 60)} min`;
}

function rateOf(rate: number): string {
  if (rate >= 1e9) return `${rounded(rate / 1e9)} billion`;
  return rate >= 1e6 ? `${rounded(rate / 1e6)} million` : Number(rate.toPrecision(2)).toLocaleString('en');
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

const LEVELS = {
  blake2b: [96, 112, 128, 136, 144, 152, 160, 168, 176],
  argon2id: [152, 160, 168, 176],
  hashwx: [96, 112, 128, 136, 144, 152, 160, 168, 176],
} as const satisfies Readonly<Record<Challenge, readonly number[]>>;

function costTable(challenge: Challenge): string {
  const rows = LEVELS[challenge].map((level) => {
    const work = workOf(level, challenge);
    expect(work.challenge).toBe(challenge);
    return [String(level), ...SOLVER_NAMES.map((name) => timeOf(solveSeconds(work, name)))];
  });
  return tableOf(['level', ...SOLVER_NAMES.map((name) => NAMES[name])], rows);
}

function priceTable(): string {
  const head = CHALLENGES.flatMap((kind) => RENTED.map((name) => `${TITLES[kind]}, ${NAMES[name]}`));
  const priceOf = (level: number, kind: Challenge, name: SolverName) => {
    const work = workOf(level, kind);
    return work.challenge === kind ? `$${rounded(solveDollars(work, name, PRICED) ?? Number.NaN)}` : '–';
  };
  const rows = LEVELS.blake2b.map((level) => [
    String(level),
    ...CHALLENGES.flatMap((kind) => RENTED.map((name) => priceOf(level, kind, name))),
  ]);
  return tableOf(['level', ...head], rows);
}

function sourceTable(): string {
  const rows = SOLVER_NAMES.map((name) => {
    const solver: { readonly rates: Readonly<Record<Challenge, number>>; readonly dollarsPerHour?: number } =
      SOLVERS[name];
    const { rates, dollarsPerHour } = solver;
    const price = dollarsPerHour === undefined ? '–' : `$${dollarsPerHour}`;
    return [NAMES[name], ...CHALLENGES.map((kind) => rateOf(rates[kind])), price];
  });
  return tableOf(
    ['device', ...CHALLENGES.map((kind) => `${TITLES[kind]} hashes per second`), 'US dollars per hour'],
    rows,
  );
}

function advantageTable(): string {
  const { gpu, serverCore } = SOLVERS;
  const price = gpu.dollarsPerHour / serverCore.dollarsPerHour;
  const rows = CHALLENGES.map((challenge) => {
    const factor = gpu.rates[challenge] / serverCore.rates[challenge];
    return [TITLES[challenge], rounded(factor), rounded(factor / price)];
  });
  return tableOf(['', 'per second', 'per US dollar'], rows);
}

/** What an attacker pays for a million puzzles that each take a visitor one second, and how much longer a slow phone takes. */
function kindsTable(): string {
  const rows = CHALLENGES.map((kind) => {
    const prices = (['laptop', 'slowPhone'] as const).map(
      (device) => `$${rounded(dollarsPerMillionSeconds(kind, device))}`,
    );
    return [TITLES[kind], ...prices, rounded(SOLVERS.laptop.rates[kind] / SOLVERS.slowPhone.rates[kind])];
  });
  return tableOf(['', 'one second of a laptop', 'one second of a slow phone', 'laptop / slow phone'], rows);
}

const page = await textOf('docs/explanation/proof-of-work.md');

/** The table under a heading of the page. */
function pageTable(heading: string): string {
  const section = page.slice(page.indexOf(`## ${heading}\n`));
  return /^\|[\s\S]*?\|$(?!\n\|)/m.exec(section)?.[0] ?? '';
}

describe('docs/explanation/proof-of-work.md', () => {
  test('has the costs of BLAKE2b puzzles', () => {
    expect(pageTable('BLAKE2b')).toBe(costTable('blake2b'));
  });

  test('has the costs of argon2id puzzles', () => {
    expect(pageTable('argon2id')).toBe(costTable('argon2id'));
  });

  test('has the costs of HashWX puzzles', () => {
    expect(pageTable('HashWX')).toBe(costTable('hashwx'));
  });

  test('has the prices of a second of a visitor', () => {
    expect(pageTable('When HashWX is better')).toBe(kindsTable());
  });

  test('has the prices of a million puzzles', () => {
    expect(pageTable('Price of a million puzzles')).toBe(priceTable());
  });

  test('has the rates of the devices', () => {
    expect(pageTable('Where the figures come from')).toBe(sourceTable());
  });

  test('has the advantage of a GPU', () => {
    expect(pageTable('When argon2id is better')).toBe(advantageTable());
  });

  test('has the scaling of the published rates', () => {
    const traffic = (mib: number, passes: number) => (3 * passes - 1) * mib;
    expect(traffic(64, 3) / traffic(16, 1)).toBe(16);
    expect(page).toContain('which is 16 times as much');
    // 16 MiB are written once and read once.
    const bound = 1008e9 / (2 * 16 * 2 ** 20);
    expect(SOLVERS.gpu.rates.argon2id / bound).toBeWithin(0.8, 1);
    // John the Ripper: 11,434 per second with 16 MiB and 3 passes.
    const rtx5090 = (11_434 * traffic(16, 3)) / traffic(16, 1);
    expect(page).toContain(`makes ${rounded(rtx5090 / SOLVERS.gpu.rates.argon2id)} times as many argon2id`);
  });

  test('names sources that the code names too', async () => {
    const source = await textOf('src/captcha/solveCosts.ts');
    const urls = [...source.matchAll(/https:\S+/g)].map(([url]) => url);
    expect(urls.length).toBeGreaterThanOrEqual(6);
    expect(urls.filter((url) => !page.includes(`(${url})`))).toEqual([]);
  });
});

const experiments = await textOf('docs/project/experiments.md');

describe('the time to verify an argon2id solution', () => {
  const [, least, most] =
    /eight hashes, in (\d+) to (\d+) ms while nothing else runs/.exec(experiments) ?? [];

  test('is measured, and not less than the best time of its hashes', () => {
    const best = (1000 * KINDS.argon2id.solutionCount) / SOLVERS.serverCore.rates.argon2id;
    expect(Number(least)).toBeGreaterThanOrEqual(best);
  });

  test.each([
    'docs/configuration.md',
    'docs/explanation/difficulty.md',
    'docs/explanation/proof-of-work.md',
    'docs/reference/limits.md',
    'src/captcha/argon2idCheck.ts',
    'src/settings.ts',
  ])('is in the measured range in %s', async (file) => {
    const text = (await textOf(file)).replace(/\s+/g, ' ');
    const times = [...text.matchAll(/takes? (?:the server )?\[?about (\d+) ms/g)].map(([, ms]) => Number(ms));
    expect(times).toHaveLength(1);
    expect(times[0]).toBeWithin(Number(least), Number(most));
  });
});
