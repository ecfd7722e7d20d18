/**
 * `npm test`: installs what is missing, runs every layer of tests, and prints `N passed, N failed` as its last line.
 *
 * This file runs before any package is installed, so it imports only Bun, Node, and files that do the same.
 */
import { availableParallelism } from 'node:os';
import { buildIfStale, install } from '../build/build.ts';
import { auditPackages } from './audit.ts';
import { failuresIn } from './failures.ts';

const ROOT = `${import.meta.dir}/..`;

/** Paths below `test/`. The layers run one after another, each in its own process. */
export const LAYERS: readonly (readonly string[])[] = [
  ['architecture'],
  [
    'config.test.ts',
    'lib',
    'acme',
    'puzzle',
    'model',
    'captcha',
    'simulation',
    'bench',
    'platform',
    'storage',
    'backup',
    'contract',
    'geoip',
    'jobs',
    'metrics',
    'server',
    'support',
    'threads',
    'vectors',
    'fuzz',
    'http',
    'cli',
    'widget',
  ],
  ['browser'],
  ['e2e'],
  ['release', 'debian/package.test.ts', 'debian/service.test.ts', 'mounts'],
  ['deploy', 'container'],
];

/** Paths below `test/` that run a second time, on PostgreSQL. @see test/support/testStorage.ts */
export const ON_POSTGRES: readonly string[] = ['http', 'cli'];

/** Parts of `ON_POSTGRES` that do not depend on the storage engine, or that test the files of a data folder. */
export const ON_SQLITE_ONLY: readonly string[] = [
  'cli/acme.test.ts',
  'cli/acmeDoctor.test.ts',
  'cli/backup/**',
  'cli/completions.test.ts',
  'cli/dataFolder.test.ts',
  'cli/dnsCheck.test.ts',
  'cli/doctor/**',
  'cli/migrate.test.ts',
  'cli/move.test.ts',
  'cli/printed/**',
  'cli/serve/fileLimit.test.ts',
  'cli/tls.test.ts',
  'cli/usage.test.ts',
  'http/assets.test.ts',
  'http/backendExamples.test.ts',
  'http/jsx/**',
  'http/openapi*.test.ts',
  // The test renames tables, and a notification of PostgreSQL makes the server check the database at any time.
  'http/platform/ids.test.ts',
  'http/portal/components/**',
  // With PostgreSQL, a page waits for its queries anyway, and so does a puzzle whose property has to be read again.
  'http/portal/kit/load.test.ts',
  'http/requestMeter.test.ts',
  'http/swaggerAccess.test.ts',
  'http/vendorBackends/**',
  'http/widget/languageFiles.test.ts',
];

/** For tests that do not set their own. Generous, because starting one process takes seconds on a busy machine. */
const TEST_TIMEOUT_MS = 120_000;

/**
 * The number of processes that run the files of a layer. Each process keeps its modules, its browser, and its tabs from file
 * to file: loading them again for every file would cost more than a second processor saves.
 */
const PARALLEL = [`--parallel=${Math.min(4, availableParallelism())}`, '--no-isolate'];

type Count = { readonly passed: number; readonly failed: number };

/** The tests that did not pass, in the order of the layers. @see failuresIn */
const failures: string[] = [];

/** Debian packages that the tests use, each with a program or a file that it installs (`*` is any version). */
const PACKAGES: Readonly<Record<string, string>> = {
  age: 'age',
  caddy: 'caddy',
  chromium: 'chromium',
  curl: 'curl',
  expect: 'expect',
  faketime: 'faketime',
  fish: 'fish',
  haproxy: 'haproxy',
  mandoc: 'mandoc',
  nginx: 'nginx',
  openssl: 'openssl',
  pebble: 'pebble',
  pgbouncer: 'pgbouncer',
  'php-cli': 'php',
  'php-google-recaptcha': '/usr/share/php/ReCaptcha/autoload.php',
  postgresql: '/usr/lib/postgresql/*/bin/postgres',
  prometheus: 'promtool',
  'python3-flaskext.wtf': '/usr/lib/python3/dist-packages/flask_wtf/__init__.py',
  rpm: 'rpmbuild',
  strace: 'strace',
  systemd: 'systemd-analyze',
  zsh: 'zsh',
};

/** Containers and Debian systems need their own mounts and processes. */
const PROBE = ['unshare', '--mount', '--pid', '--fork', 'mount', '-t', 'proc', 'proc', '/proc'];

/** Tests that run only on machines where these packages are installed and `probe` succeeds. Elsewhere, a note gives the reason. */
const OPTIONAL: readonly Optional[] = [
  {
    path: 'debian/package.test.ts',
    packages: { mmdebstrap: 'mmdebstrap' },
    probe: PROBE,
  },
  {
    path: 'debian/service.test.ts',
    packages: { mmdebstrap: 'mmdebstrap', 'systemd-container': 'systemd-nspawn' },
    // systemd also needs its own control groups.
    probe: ['systemd-nspawn', '--quiet', '--register=no', '--keep-unit', '--volatile=yes', '-D', '/', 'true'],
  },
  { path: 'container', packages: { buildah: 'buildah', runc: 'runc' }, probe: PROBE },
  {
    path: 'mounts',
    packages: {},
    // The tests mount small file systems in memory.
    probe: ['unshare', '--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/tmp'],
  },
];

type Optional = {
  readonly path: string;
  readonly packages: Readonly<Record<string, string>>;
  readonly probe: readonly string[];
};

/**
 * Installs packages without starting their services: the exit code of policy-rc.d means "action forbidden by policy"
 * (invoke-rc.d(8)). An existing policy stays as it is. The package postgresql also creates a database cluster, unless
 * createcluster.conf(5) forbids it.
 */
const INSTALL = `set -eu
policy=/usr/sbin/policy-rc.d
clusters=/etc/postgresql-common/createcluster.d
restore() {
  rm -f "$clusters/tests.conf"
  cd /etc && rmdir -p --ignore-fail-on-non-empty "\${clusters#/etc/}"
  [ -z "\${ownPolicy-}" ] || rm -f "$policy"
}
trap restore EXIT
trap 'exit 1' INT TERM
mkdir -p "$clusters"
printf 'create_main_cluster = false\\n' >"$clusters/tests.conf"
if [ ! -e "$policy" ]; then
  ownPolicy=yes
  printf '#!/bin/sh\\nexit 101\\n' >"$policy"
  chmod 755 "$policy"
fi
apt-get -o DPkg::Lock::Timeout=600 update -qq
apt-get -o DPkg::Lock::Timeout=600 install -y -qq "$@"`;

const canInstall = () => process.getuid?.() === 0 && Bun.which('apt-get') !== null;

function isInstalled(probe: string): boolean {
  if (!probe.startsWith('/')) return Bun.which(probe) !== null;
  const [found] = new Bun.Glob(probe.slice(1)).scanSync({ cwd: '/' });
  return found !== undefined;
}

const missingIn = (packages: Readonly<Record<string, string>>) =>
  Object.keys(packages).filter((name) => !isInstalled(packages[name] ?? ''));

/** @returns whether the installation succeeded */
function installPackages(...words: readonly string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const { exitCode } = Bun.spawnSync(['sh', '-c', INSTALL, 'sh', ...words], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env,
  });
  return exitCode === 0;
}

/** Installs missing packages. @throws if the process is not allowed to install them */
function ensurePackages(): void {
  const missing = missingIn(PACKAGES);
  if (missing.length === 0) return;
  const names = missing.join(' ');
  if (!canInstall()) throw new Error(`the tests need these packages: ${names}`);
  if (!installPackages(...missing)) throw new Error(`apt-get failed; install ${names} manually`);
}

/** @returns the reason why this machine cannot run these tests; undefined if it can */
function reasonNotToRun({ packages, probe }: Optional): string | undefined {
  if (process.getuid?.() !== 0) return 'they need root';
  const missing = missingIn(packages);
  if (missing.length > 0 && !(canInstall() && installPackages('--no-install-recommends', ...missing)))
    return `these packages are missing: ${missing.join(' ')}`;
  const { exitCode } = Bun.spawnSync([...probe], { stdio: ['ignore', 'ignore', 'inherit'] });
  return exitCode === 0 ? undefined : `this command failed: ${probe.join(' ')}`;
}

/** The paths of a layer without the tests that this machine cannot run. */
function runnablePaths(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => {
    const optional = OPTIONAL.find((each) => each.path === path);
    const reason = optional && reasonNotToRun(optional);
    if (reason !== undefined) console.log(`\nnote: the tests in test/${path} do not run: ${reason}`);
    return reason === undefined;
  });
}

/** Runs one layer. A skipped test counts as failed, because it proves nothing. */
async function runLayer(listed: readonly string[], engine: 'sqlite' | 'postgres'): Promise<Count> {
  const paths = runnablePaths(listed);
  const isDefault = engine === 'sqlite';
  console.log(`\n== ${paths.join(' ')}${isDefault ? '' : ' (on PostgreSQL)'}`);
  const ignored = isDefault ? [] : ON_SQLITE_ONLY;
  const child = Bun.spawn(
    [
      process.execPath,
      'test',
      '--timeout',
      String(TEST_TIMEOUT_MS),
      ...PARALLEL,
      ...ignored.map((path) => `--path-ignore-patterns=test/${path}`),
      ...paths.map((path) => `./test/${path}`),
    ],
    {
      cwd: ROOT,
      stdio: ['ignore', 'inherit', 'pipe'],
      env: { ...process.env, TEST_ENGINE: engine },
    },
  );
  let output = '';
  for await (const chunk of child.stderr) {
    const text = new TextDecoder().decode(chunk);
    output += text;
    process.stderr.write(text);
  }
  failures.push(...failuresIn(output));
  const exitCode = await child.exited;
  const count = (word: string) => Number(new RegExp(`^\\s*(\\d+) ${word}$`, 'm').exec(output)?.[1] ?? 0);
  const passed = count('pass');
  const failed = count('fail') + count('skip') + count('todo') + count('error');
  // A layer that crashed or found no test must not count as passed.
  const hasCrashed = failed === 0 && (exitCode !== 0 || passed === 0);
  return { passed, failed: failed + (hasCrashed ? 1 : 0) };
}

/** Prints the audit of the packages, which counts as one failure. @returns false if a runtime package is vulnerable */
function reportAudit(): boolean {
  const { status, report } = auditPackages();
  console.log(`\n${report.join('\n')}`);
  if (status === 'vulnerable') failures.push(report.join('\n'));
  return status !== 'vulnerable';
}

async function runAll(): Promise<Count> {
  const total = { passed: 0, failed: 0 };
  try {
    install();
    ensurePackages();
    buildIfStale();
    if (!reportAudit()) total.failed += 1;
    const onSqlite = LAYERS.map((layer) => () => runLayer(layer, 'sqlite'));
    for (const run of [...onSqlite, () => runLayer(ON_POSTGRES, 'postgres')]) {
      const { passed, failed } = await run();
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
  // The last lines of a long output are what a reader sees first, and often all that is kept.
  if (failures.length > 0) console.log(`\n== Did not pass\n${failures.join('\n\n')}`);
  console.log(`\n${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}
