/**
 * `npm test`: installs what is missing, runs every ring of tests, and prints `N passed, N failed` as its last line.
 *
 * Runs before any package is installed, so it imports nothing but Bun, Node and build.ts.
 */
import { availableParallelism } from 'node:os';
import { buildIfStale, install } from '../build.ts';

const ROOT = `${import.meta.dir}/..`;

/** In the order in which they run: each in a process of its own. */
const RINGS: readonly (readonly string[])[] = [
  ['house'],
  [
    'lib',
    'puzzle',
    'model',
    'captcha',
    'platform',
    'store',
    'contract',
    'background',
    'vectors',
    'fuzz',
    'http',
    'cli',
    'widget',
  ],
  ['browser'],
  ['e2e'],
];

/** For every test that sets none of its own. Generous: on a busy machine, starting one process takes seconds. */
const TEST_TIMEOUT_MS = 120_000;

/**
 * Files run in so many processes. Each process keeps its modules, its browser and its tabs from file to file: loading them
 * again for every file would cost more than a second processor saves.
 */
const PARALLEL = [`--parallel=${Math.min(4, availableParallelism())}`, '--no-isolate'];

type Count = { readonly passed: number; readonly failed: number };

/** Programs that the tests start; each is the Debian package of its name. */
const PROGRAMS = ['chromium', 'curl', 'openssl'];

/** Programs from the system's packages, where they are missing and we may install them. */
function ensurePrograms(): void {
  const missing = PROGRAMS.filter((program) => Bun.which(program) === null);
  if (missing.length === 0) return;
  const names = missing.join(' ');
  if (process.getuid?.() !== 0 || Bun.which('apt-get') === null) {
    throw new Error(
      `the tests need ${names}: install the packages of these names (Debian: apt-get install ${names})`,
    );
  }
  for (const words of [
    ['update', '-qq'],
    ['install', '-y', '-qq', ...missing],
  ]) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const { exitCode } = Bun.spawnSync(['apt-get', ...words], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env,
    });
    if (exitCode !== 0) throw new Error(`apt-get ${words[0]} failed; install ${names} by hand`);
  }
}

/** Runs one ring. A skipped test counts as failed: it says nothing. */
async function runRing(rooms: readonly string[]): Promise<Count> {
  console.log(`\n== ${rooms.join(' ')}`);
  const folders = rooms.map((room) => `./test/${room}`);
  const child = Bun.spawn(
    [process.execPath, 'test', '--timeout', String(TEST_TIMEOUT_MS), ...PARALLEL, ...folders],
    {
      cwd: ROOT,
      stdio: ['ignore', 'inherit', 'pipe'],
    },
  );
  let output = '';
  for await (const chunk of child.stderr) {
    const text = new TextDecoder().decode(chunk);
    output += text;
    process.stderr.write(text);
  }
  const exitCode = await child.exited;
  const count = (word: string) => Number(new RegExp(`^\\s*(\\d+) ${word}$`, 'm').exec(output)?.[1] ?? 0);
  const passed = count('pass');
  const failed = count('fail') + count('skip') + count('todo') + count('error');
  // A ring that broke down, or found no test, must not look like one that passed.
  const hasBroken = failed === 0 && (exitCode !== 0 || passed === 0);
  return { passed, failed: failed + (hasBroken ? 1 : 0) };
}

const total = { passed: 0, failed: 0 };
try {
  install();
  ensurePrograms();
  buildIfStale();
  for (const ring of RINGS) {
    const { passed, failed } = await runRing(ring);
    total.passed += passed;
    total.failed += failed;
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  total.failed += 1;
}
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;
