/**
 * `npm test`: installs what is missing, runs every layer of tests, and prints `N passed, N failed` as its last line.
 *
 * This file runs before any package is installed, so it imports only Bun, Node, and build.ts.
 */
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { buildIfStale, install } from '../build.ts';

const ROOT = `${import.meta.dir}/..`;

/** Paths below `test/`. The layers run one after another, each in its own process. */
export const LAYERS: readonly (readonly string[])[] = [
  ['architecture'],
  [
    'config.test.ts',
    'lib',
    'puzzle',
    'model',
    'captcha',
    'platform',
    'storage',
    'contract',
    'jobs',
    'server',
    'vectors',
    'fuzz',
    'http',
    'cli',
    'widget',
  ],
  ['browser'],
  ['e2e'],
];

/** For tests that do not set their own. Generous, because starting one process takes seconds on a busy machine. */
const TEST_TIMEOUT_MS = 120_000;

/**
 * The number of processes that run the files of a layer. Each process keeps its modules, its browser, and its tabs from file
 * to file: loading them again for every file would cost more than a second processor saves.
 */
const PARALLEL = [`--parallel=${Math.min(4, availableParallelism())}`, '--no-isolate'];

type Count = { readonly passed: number; readonly failed: number };

/** Debian packages that the tests use, each with a program or a file that it installs. */
const PACKAGES: Readonly<Record<string, string>> = {
  chromium: 'chromium',
  curl: 'curl',
  faketime: 'faketime',
  openssl: 'openssl',
  'php-cli': 'php',
  'php-google-recaptcha': '/usr/share/php/ReCaptcha/autoload.php',
  'python3-flaskext.wtf': '/usr/lib/python3/dist-packages/flask_wtf/__init__.py',
};

const isInstalled = (probe: string) =>
  probe.startsWith('/') ? existsSync(probe) : Bun.which(probe) !== null;

/** Installs missing packages. @throws if it runs without the rights to install them */
function ensurePackages(): void {
  const missing = Object.keys(PACKAGES).filter((name) => !isInstalled(PACKAGES[name] ?? ''));
  if (missing.length === 0) return;
  const names = missing.join(' ');
  if (process.getuid?.() !== 0 || Bun.which('apt-get') === null) {
    throw new Error(`the tests need these packages: ${names} (Debian: apt-get install ${names})`);
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
    if (exitCode !== 0) throw new Error(`apt-get ${words[0]} failed; install ${names} manually`);
  }
}

/** Runs one layer. A skipped test counts as failed, because it proves nothing. */
async function runLayer(paths: readonly string[]): Promise<Count> {
  console.log(`\n== ${paths.join(' ')}`);
  const child = Bun.spawn(
    [
      process.execPath,
      'test',
      '--timeout',
      String(TEST_TIMEOUT_MS),
      ...PARALLEL,
      ...paths.map((path) => `./test/${path}`),
    ],
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
  // A layer that crashed or found no test must not count as passed.
  const hasCrashed = failed === 0 && (exitCode !== 0 || passed === 0);
  return { passed, failed: failed + (hasCrashed ? 1 : 0) };
}

async function runAll(): Promise<Count> {
  const total = { passed: 0, failed: 0 };
  try {
    install();
    ensurePackages();
    buildIfStale();
    for (const layer of LAYERS) {
      const { passed, failed } = await runLayer(layer);
      total.passed += passed;
      total.failed += failed;
    }
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    total.failed += 1;
  }
  return total;
}

if (import.meta.main) {
  const { passed, failed } = await runAll();
  console.log(`\n${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}
