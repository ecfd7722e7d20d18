import { describe, expect, test } from 'bun:test';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';
import { KINDS } from '../../src/puzzle/kinds.ts';
import { SOLUTION_COUNT } from '../../src/puzzle/puzzle.ts';
import { SETTINGS } from '../../src/settings.ts';
import { MIGRATIONS } from '../../src/storage/sqlite/migrate.ts';
import { filesAt, textOf } from './tree.ts';

/** Compares limits and times in the documentation with the constants of the code. */

const UNITS: Readonly<Record<string, number>> = { SECOND, MINUTE, HOUR, DAY, KIB: 1024, MIB: 1024 ** 2 };

/** @param name of a constant whose value is a number, or a product of numbers, units, and powers */
async function constantIn(file: string, name: string): Promise<number> {
  const [, expression = ''] =
    new RegExp(`^(?:export )?const ${name} = ([^;]+);`, 'm').exec(await textOf(`src/${file}`)) ?? [];
  const factors = expression.split(' * ').map((factor) => {
    const [base = '', exponent = '1'] = factor.split(' ** ');
    return (UNITS[base] ?? Number(base.replaceAll('_', ''))) ** Number(exponent);
  });
  return factors.reduce((product, factor) => product * factor, 1);
}

const number = (value: number) => value.toLocaleString('en');
const WORDS: Readonly<Record<number, string>> = { 2: 'two', 3: 'three', 5: 'five', 10: 'ten' };
const word = (value: number) => WORDS[value] ?? String(value);

type Row = {
  readonly page: string;
  /** The file in `src` and the name of the constant. */
  readonly constant: readonly [file: string, name: string];
  /** One part of a sentence or a row of a table that contains the value. */
  readonly says: (value: number) => string;
};

const LIMITS = 'reference/limits.md';
const OPERATE = 'how-to/operate.md';
const SECURITY = 'explanation/security.md';
const PORTAL = 'reference/portal.md';
const TASKS = 'project/decisions/0008-tasks-are-planned-then-applied.md';
const THREADS = 'project/decisions/0013-request-threads.md';

// biome-ignore format: a table
const ROWS: readonly Row[] = [
  { page: LIMITS, constant: ['jobs/scheduledJobs.ts', 'TASK_RETENTION'], says: (ms) => `Finished tasks are stored for ${ms / DAY} days` },
  { page: LIMITS, constant: ['jobs/scheduledJobs.ts', 'DELETED_RETENTION'], says: (ms) => `purged from the database after ${ms / DAY} days` },
  { page: LIMITS, constant: ['model/period.ts', 'HOURS_RETAINED'], says: (hours) => `and the whole installation | ${hours / 24} days; then` },
  { page: LIMITS, constant: ['model/apiKey.ts', 'ACTIVE_KEYS_MAX'], says: (keys) => `at most ${keys} active API keys` },
  { page: LIMITS, constant: ['server/caches.ts', 'PROPERTY_CAPACITY'], says: (entries) => `| properties | ${number(entries)} |` },
  { page: LIMITS, constant: ['server/caches.ts', 'RECORD_CAPACITY'], says: (entries) => `| API keys | ${number(entries)} |` },
  { page: LIMITS, constant: ['platform/properties/dnsLookups.ts', 'CACHE_CAPACITY'], says: (entries) => `| DNS results | ${number(entries)} |` },
  { page: LIMITS, constant: ['platform/properties/dnsLookups.ts', 'MAX_PARALLEL'], says: (domains) => `at most ${domains} domains at the same time` },
  { page: LIMITS, constant: ['captcha/puzzleFailures.ts', 'MAX_FAILURES'], says: (payloads) => `rejected without hashing | ${payloads} |` },
  { page: LIMITS, constant: ['captcha/puzzleFailures.ts', 'MAX_FAILURES'], says: (payloads) => `After ${payloads} wrong payloads for one puzzle` },
  { page: LIMITS, constant: ['storage/memory.ts', 'FORM_CAPACITY'], says: (entries) => `100,000, in a table) | ${number(entries)} |` },
  { page: LIMITS, constant: ['captcha/rules/ruleCache.ts', 'WAITING_LOADS'], says: (lists) => `at most ${number(lists)} lists can wait` },
  { page: LIMITS, constant: ['captcha/rules/ruleCache.ts', 'LOAD_MS'], says: (ms) => `not compiled within ${word(ms / SECOND)} seconds` },
  { page: LIMITS, constant: ['model/exportDocument.ts', 'EXPORT_MAX_BYTES'], says: (bytes) => `has at most ${bytes / 1024 ** 2} MiB and` },
  { page: LIMITS, constant: ['http/captcha/siteverify/siteverify.ts', 'IDEMPOTENCY_KEY_LIMIT'], says: (characters) => `| \`idempotency_key\` | ${characters} characters |` },
  { page: LIMITS, constant: ['model/ports/replayLedger.ts', 'REPEAT_WINDOW_SECONDS'], says: (seconds) => `is valid for ${word(seconds / 60)} minutes` },
  { page: LIMITS, constant: ['model/ports/cluster.ts', 'CLOCK_OFFSET_MAX_MS'], says: (ms) => `that is not logged | ${ms / SECOND} seconds |` },
  { page: LIMITS, constant: ['storage/postgres/ledger/openConnection.ts', 'STATEMENT_TIMEOUT_MS'], says: (ms) => `for claims, ${ms / SECOND} seconds |` },
  { page: LIMITS, constant: ['cli/startChecks.ts', 'RECOMMENDED_FILES'], says: (files) => `| below ${files} | the server logs \`file-limit-low\`` },
  { page: LIMITS, constant: ['server/threads/forwarding/forwarder.ts', 'MAX_FORWARDED'], says: (requests) => `| requests at the same time | ${requests} |` },
  { page: OPERATE, constant: ['jobs/clocks.ts', 'WAIT'], says: (ms) => `run for a total of ${ms / HOUR} hours` },
  { page: OPERATE, constant: ['jobs/clocks.ts', 'WRONG_MS'], says: (ms) => `by more than ${word(ms / SECOND)} seconds from the database` },
  { page: SECURITY, constant: ['model/session.ts', 'SESSIONS_MAX'], says: (sessions) => `A user has at most ${sessions} sessions` },
  { page: SECURITY, constant: ['model/organization.ts', 'INVITATION_LIFETIME'], says: (ms) => `works once, for ${ms / DAY} days` },
  { page: SECURITY, constant: ['platform/authentication/totp.ts', 'RECOVERY_CODES'], says: (codes) => `${word(codes)} recovery codes of 120 random bits` },
  { page: SECURITY, constant: ['platform/authentication/passwordLinks.ts', 'LIFETIME'], says: (ms) => `the link's expiration after ${word(ms / DAY)} days` },
  { page: SECURITY, constant: ['storage/memory.ts', 'ATTEMPT_CAPACITY'], says: (entries) => `at most ${number(entries)} entries of each kind` },
  { page: SECURITY, constant: ['lib/logLimit.ts', 'LIMIT'], says: (events) => `at most ${events} of each kind per minute` },
  { page: PORTAL, constant: ['model/session.ts', 'FRESH_MS'], says: (ms) => `entered it within the last ${ms / MINUTE} minutes` },
  { page: PORTAL, constant: ['model/period.ts', 'PERIOD_MAX_DAYS'], says: (days) => `and has at most ${days} days` },
  { page: PORTAL, constant: ['portal/home/search.tsx', 'LIMIT'], says: (results) => `up to ${results} results of each kind` },
  { page: PORTAL, constant: ['portal/statistics/statisticsReport.tsx', 'LIVE_SECONDS'], says: (seconds) => `new numbers every ${seconds} seconds` },
  { page: TASKS, constant: ['model/task.ts', 'BATCH_MAX_ITEMS'], says: (items) => `changes up to ${items} properties` },
  { page: TASKS, constant: ['model/task.ts', 'IMPORT_MAX_ITEMS'], says: (items) => `an import creates up to ${number(items)}` },
  { page: TASKS, constant: ['jobs/taskRunner.ts', 'MAX_RUNNING'], says: (tasks) => `up to ${tasks} at a time on each node` },
  { page: TASKS, constant: ['jobs/taskRunner.ts', 'RETRY_AFTER'], says: (ms) => `starts after ${ms / SECOND} seconds, and after ${(2 * ms) / SECOND},` },
  { page: 'project/decisions/0010-writer-thread.md', constant: ['storage/sqlite/writer/writerThread.ts', 'GROUP_SIZE'], says: (calls) => `all waiting calls (up to ${calls})` },
  { page: THREADS, constant: ['server/threads/memory.ts', 'MAX_THREADS'], says: (threads) => `the number of cores, at most ${threads},` },
  { page: 'explanation/api-keys.md', constant: ['model/apiKey.ts', 'ACTIVE_KEYS_MAX'], says: (keys) => `| ${keys} per user | ${keys} per organization |` },
  { page: 'reference/export.md', constant: ['model/exportDocument.ts', 'EXPORT_VERSION'], says: (version) => `| \`format\`, \`version\` | \`postern-export\` and ${version};` },
  { page: 'how-to/upgrade.md', constant: ['backup/upgradeCopy.ts', 'KEPT'], says: (copies) => `keeps the newest ${word(copies)} copies` },
  { page: 'how-to/upgrade.md', constant: ['model/ports/installation.ts', 'STORED_BUILDS'], says: (builds) => `stores the last ${word(builds)} builds` },
];

const defaultOf = (variable: string) => SETTINGS.find((row) => row.variable === variable)?.default;

const pageText = async (page: string) => (await textOf(`docs/${page}`)).replace(/\s+/g, ' ');

describe('the documentation', () => {
  test.each(ROWS.map((row) => [row.page, row.constant[1], row] as const))(
    'has the value of the code: %s, %s',
    async (page, _, { constant: [file, name], says }) => {
      const value = await constantIn(file, name);
      expect([file, name, Number.isFinite(value)]).toEqual([file, name, true]);
      expect(await pageText(page)).toContain(says(value));
    },
  );

  test('states the defaults of rates and bursts', async () => {
    const rows = (await textOf('docs/reference/limits.md')).matchAll(
      /\| (\d+) per second, burst of (\d+)[^|]*\| `(POSTERN_\w+_RATE)`, `(POSTERN_\w+_BURST)` \|/g,
    );
    const stated = [...rows].map(([, rate, burst, ...variables]) => ({ variables, defaults: [rate, burst] }));
    expect(stated.length).toBeGreaterThan(3);
    for (const { variables, defaults } of stated) expect(variables.map(defaultOf)).toEqual(defaults);
  });

  test('states the same default wherever it names one after a setting', async () => {
    const wrong: string[] = [];
    let found = 0;
    for (const file of filesAt('docs/**/*.md')) {
      const text = (await textOf(file)).replace(/\s+/g, ' ');
      for (const [example, variable, value] of text.matchAll(
        /`(POSTERN_[A-Z_]+)`(?: days| hours)? \((\d[\d.,]*)(?: by default)?\)/g,
      )) {
        found++;
        const expected = defaultOf(variable ?? '');
        if (expected !== value) wrong.push(`${file}: ${example}, not ${expected}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(found).toBeGreaterThan(2);
  });
});

test('examples contain the newest version of the schema', async () => {
  const [newest] = MIGRATIONS.slice(-1);
  const before = (newest?.version ?? 0) - 1;
  const found = new Set<string>();
  for (const file of ['docs/reference/cli.md', 'docs/how-to/upgrade.md']) {
    const text = await textOf(file);
    const patterns = [
      /"schema": \d+/g,
      /schema version \d+/g,
      /before-upgrade-\d+-to-\d+/g,
      /\{ "version": \d+, "name": "\w+" \}/g,
    ];
    for (const pattern of patterns) for (const [example] of text.matchAll(pattern)) found.add(example);
  }
  expect([...found].toSorted()).toEqual(
    [
      `"schema": ${newest?.version}`,
      `schema version ${newest?.version}`,
      `before-upgrade-${before}-to-${newest?.version}`,
      `{ "version": ${newest?.version}, "name": "${newest?.name}" }`,
    ].toSorted(),
  );
});

/**
 * The probability that all solutions of a puzzle together take more than `times` the average number of attempts. The attempts for n
 * solutions have approximately the gamma distribution with shape n, so this is the probability of fewer than n Poisson events.
 */
function shareAbove(times: number, solutions: number): number {
  const mean = times * solutions;
  let term = Math.exp(-mean);
  let sum = 0;
  for (let events = 0; events < solutions; events++) {
    sum += term;
    term *= mean / (events + 1);
  }
  return sum;
}

describe('the spread of the attempts', () => {
  test('is one in twenty puzzles above the factors on the page about proof of work', async () => {
    const [, blake2b, argon2id] =
      /one BLAKE2b puzzle in twenty takes more than ([\d.]+) times as long, and one argon2id or HashWX puzzle in twenty more than ([\d.]+) times/.exec(
        await pageText('explanation/proof-of-work.md'),
      ) ?? [];
    expect(shareAbove(Number(blake2b), SOLUTION_COUNT)).toBeWithin(0.04, 0.07);
    expect(shareAbove(Number(argon2id), KINDS.argon2id.solutionCount)).toBeWithin(0.04, 0.07);
    expect(KINDS.hashwx.solutionCount).toBe(KINDS.argon2id.solutionCount);
  });

  test('is at most one in twenty above the factor that the playground calls rare, in every language', async () => {
    for (const file of filesAt('static/portal/*.json')) {
      const [, sentence = ''] = /^ +"cost": "(.*)",?$/m.exec(await textOf(file)) ?? [];
      const [factor = ''] = /\d[.,]\d/.exec(sentence) ?? [];
      const times = Number(factor.replace(',', '.'));
      for (const solutions of [SOLUTION_COUNT, KINDS.argon2id.solutionCount])
        expect([file, shareAbove(times, solutions) < 0.06]).toEqual([file, true]);
    }
  });
});
