/**
 * The programs that the tests use, and the tests that need more than most machines provide.
 *
 * This file runs before any package is installed, so it uses only Bun and Node.
 */

/** Debian packages that the tests use, each with a program or a file that it installs (`*` is any version). */
const PACKAGES: Readonly<Record<string, string>> = {
  age: 'age',
  caddy: 'caddy',
  chromium: 'chromium',
  'chromium-headless-shell': 'chromium-headless-shell',
  curl: 'curl',
  expect: 'expect',
  faketime: 'faketime',
  'firefox-esr': 'firefox-esr',
  fish: 'fish',
  gcc: 'gcc',
  haproxy: 'haproxy',
  'libwebkit2gtk-4.1-0': '/usr/lib/*/webkit2gtk-4.1/MiniBrowser',
  mandoc: 'mandoc',
  minisign: 'minisign',
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
  spin: 'spin',
  strace: 'strace',
  systemd: 'systemd-analyze',
  xdotool: 'xdotool',
  xvfb: 'Xvfb',
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

/** Installs Debian packages. @param words options of `apt-get install`, and names @returns whether the installation succeeded */
export function installPackages(...words: readonly string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const { exitCode } = Bun.spawnSync(['sh', '-c', INSTALL, 'sh', ...words], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env,
  });
  return exitCode === 0;
}

/** Installs missing packages. @throws if the process is not allowed to install them */
export function ensurePackages(): void {
  const missing = missingIn(PACKAGES);
  if (missing.length === 0) return;
  const names = missing.join(' ');
  if (!canInstall()) throw new Error(`the tests need these packages: ${names}`);
  if (!installPackages(...missing)) throw new Error(`apt-get failed; install ${names} manually`);
}

/** @returns why this machine cannot run the tests at this path below `test/`; undefined if it can */
export function reasonNotToRun(path: string): string | undefined {
  const optional = OPTIONAL.find((each) => each.path === path);
  if (optional === undefined) return undefined;
  const { packages, probe } = optional;
  if (process.getuid?.() !== 0) return 'they need root';
  const missing = missingIn(packages);
  if (missing.length > 0 && !(canInstall() && installPackages('--no-install-recommends', ...missing)))
    return `these packages are missing: ${missing.join(' ')}`;
  const { exitCode } = Bun.spawnSync([...probe], { stdio: ['ignore', 'ignore', 'inherit'] });
  return exitCode === 0 ? undefined : `this command failed: ${probe.join(' ')}`;
}
