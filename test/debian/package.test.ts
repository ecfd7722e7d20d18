import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../build/build.ts';
import { version } from '../../src/version.ts';
import { ARCHITECTURE, createSystem, outputOf, run } from './debianSystem.ts';

/** Installs, upgrades, removes, and purges the Debian package in a minimal Debian system. Needs root. */

const OLD_VERSION = '0.0.1';

mkdirSync(join(ROOT, 'dist'), { recursive: true });
const folder = mkdtempSync(join(ROOT, 'dist/test-'));
const system = join(folder, 'system');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Its own mounts and processes. glibc needs /proc to find the end of the stack. */
const ENTER = ['unshare', '--mount', '--pid', '--fork', '--kill-child', `--root=${system}`, '--mount-proc'];

/** Runs a command in the Debian system. @returns its standard output */
const inSystem = (command: string, input = '') => outputOf([...ENTER, 'sh', '-c', command], input);

const install = (file: string) => inSystem(`dpkg --install /packages/${file}`);
const postern = (command: string, input = '') =>
  inSystem(`runuser -u postern -- postern ${command} --data-dir /var/lib/postern`, input);
const exists = (path: string) => existsSync(join(system, path));
const statusOf = (path: string) => inSystem(`stat -c '%a %U:%G' ${path}`);
const ENABLED = '/etc/systemd/system/multi-user.target.wants/postern.service';
const isEnabled = () => inSystem(`if [ -L ${ENABLED} ]; then echo yes; fi`) === 'yes';

/** Builds the package, and the same package with a lower version and another default setting. */
function createPackages(): void {
  const packages = join(system, 'packages');
  const target = `linux-${process.arch}`;
  const built = Bun.spawnSync(
    [
      process.execPath,
      'build/build.ts',
      'release',
      '--target',
      target,
      '--format',
      'deb',
      '--output',
      packages,
    ],
    { cwd: ROOT, env: { ...process.env, SOURCE_DATE_EPOCH: '1767225600' } },
  );
  expect({ exitCode: built.exitCode, err: built.stderr.toString() }).toMatchObject({ exitCode: 0 });
  renameSync(join(packages, `postern_${version}_${ARCHITECTURE}.deb`), join(packages, 'new.deb'));
  const tree = join(folder, 'old');
  expect(run(['dpkg-deb', '--raw-extract', join(packages, 'new.deb'), tree])).toMatchObject({ exitCode: 0 });
  const control = join(tree, 'DEBIAN/control');
  writeFileSync(
    control,
    readFileSync(control, 'utf8').replace(`Version: ${version}`, `Version: ${OLD_VERSION}`),
  );
  const old = run(['dpkg-deb', '--root-owner-group', '-Znone', '--build', tree, join(packages, 'old.deb')]);
  expect(old).toMatchObject({ exitCode: 0 });
}

beforeAll(() => {
  createSystem(system);
  createPackages();
}, 580_000);

// Each test continues where the previous one ended.

test('an installation creates the user, the data folder, and an enabled service', () => {
  install('old.deb');
  expect(inSystem('getent passwd postern')).toMatch(
    /^postern:x:\d{1,3}:\d{1,3}::\/var\/lib\/postern:\/usr\/sbin\/nologin$/,
  );
  expect(statusOf('/var/lib/postern')).toBe('700 postern:postern');
  expect(statusOf('/etc/postern/postern.env')).toBe('600 root:root');
  expect(isEnabled()).toBe(true);
  expect(inSystem('dpkg --verify postern')).toBe('');
});

test('commands work as the user of the service, including those that hash passwords', () => {
  expect(inSystem('postern version')).toStartWith(`postern ${version} `);
  const created = postern(
    'users create --email ann@example.com --password-stdin --json',
    'correct horse battery',
  );
  expect(JSON.parse(created)).toMatchObject({ email: 'ann@example.com' });
  expect(statusOf('/var/lib/postern/postern.sqlite')).toBe('600 postern:postern');
});

test('an upgrade keeps the data and the changed settings', () => {
  inSystem('echo POSTERN_PORT=9000 >>/etc/postern/postern.env');
  install('new.deb');
  expect(inSystem('dpkg --list postern')).toMatch(new RegExp(`^ii +postern +${version} `, 'm'));
  expect(inSystem('tail -n 1 /etc/postern/postern.env')).toBe('POSTERN_PORT=9000');
  expect(JSON.parse(postern('users list --json'))).toHaveLength(1);
  expect(statusOf('/var/lib/postern')).toBe('700 postern:postern');
});

test('a service that the administrator disabled stays disabled', () => {
  inSystem(`rm ${ENABLED}`);
  install('new.deb');
  expect(isEnabled()).toBe(false);
  inSystem(`ln -s /usr/lib/systemd/system/postern.service ${ENABLED}`);
});

test('all scripts can run twice', () => {
  const scripts = '/var/lib/dpkg/info/postern';
  inSystem(`${scripts}.postinst configure ${version} && ${scripts}.postinst configure ${version}`);
  inSystem(`${scripts}.prerm upgrade ${version} && ${scripts}.postrm upgrade ${version}`);
  expect(isEnabled()).toBe(true);
  expect(JSON.parse(postern('users list --json'))).toHaveLength(1);
});

test('a removal keeps the data and the settings, and a new installation uses them', () => {
  inSystem('dpkg --remove postern');
  expect([exists('/usr/bin/postern'), exists('/usr/lib/systemd/system/postern.service')]).toEqual([
    false,
    false,
  ]);
  expect(exists('/var/lib/postern/postern.sqlite')).toBe(true);
  expect(inSystem('tail -n 1 /etc/postern/postern.env')).toBe('POSTERN_PORT=9000');
  install('new.deb');
  expect(isEnabled()).toBe(true);
  expect(JSON.parse(postern('users list --json'))).toHaveLength(1);
});

describe('with systemd', () => {
  /** Records the calls of systemctl, in place of a running systemd. */
  function recordCalls(isActive: boolean, work: () => void): readonly string[] {
    const program = join(system, 'usr/bin/systemctl');
    inSystem('mkdir -p /run/systemd/system && mv /usr/bin/systemctl /systemctl');
    writeFileSync(
      program,
      `#!/bin/sh
echo "$*" >>/calls
case "$*" in
  *is-enabled*) echo enabled ;;
  *is-active*) exit ${isActive ? 0 : 3} ;;
esac
`,
      { mode: 0o755 },
    );
    try {
      work();
      return readFileSync(join(system, 'calls'), 'utf8').trim().split('\n');
    } finally {
      renameSync(join(system, 'systemctl'), program);
      rmSync(join(system, 'calls'), { force: true });
      rmSync(join(system, 'run/systemd'), { recursive: true });
    }
  }
  const actions = (calls: readonly string[]) =>
    calls.flatMap((call) => /\b(?:start|stop|restart) postern\.service$/.exec(call)?.[0] ?? []);

  test('an upgrade restarts a running server', () => {
    const calls = recordCalls(true, () => install('new.deb'));
    expect(calls).toContain('daemon-reload');
    expect(actions(calls)).toEqual(['restart postern.service']);
  });

  test('an upgrade does not start a server that was stopped', () => {
    const calls = recordCalls(false, () => install('new.deb'));
    expect(actions(calls)).toEqual([]);
  });

  test('a removal stops the server, and an installation starts it', () => {
    const calls = recordCalls(false, () => {
      inSystem('dpkg --remove postern');
      install('new.deb');
    });
    expect(actions(calls)).toEqual(['stop postern.service', 'start postern.service']);
  });
});

describe('a purge with a volume in a folder of the server', () => {
  const MARK = '/var/cache/postern/mark';

  /** Runs a command in the Debian system after a file system in memory was mounted there. */
  function withVolume(point: string, command: string): string {
    const folder = join(system, point);
    const mount = `mkdir -p ${folder} && mount -t tmpfs tmpfs ${folder} && exec "$@"`;
    return outputOf(['unshare', '--mount', 'sh', '-c', mount, 'sh', ...ENTER, 'sh', '-c', command]);
  }

  /** Creates the mark of the data, as a server does. */
  const createMark = `install -d -m 700 -o postern -g postern /var/cache/postern && echo mark >${MARK}`;

  // dpkg used to delete the data on the volume, and then failed: Device or resource busy.
  test.each([
    '/var/lib/postern',
    '/var/lib/postern/volume',
    '/var/cache/postern',
    '/var/cache/postern/volume',
  ])('mounted on %s keeps the data, its mark, and its owner, says what to do, and succeeds', (point) => {
    const write = `${createMark} && echo data >${point}/file && chown -R postern:postern ${point}`;
    const remains = `cat ${point}/file && stat -c %U ${point}/file && cat ${MARK} && dpkg --get-selections`;
    const output = withVolume(point, `${write} && dpkg --purge postern && ${remains}`);
    expect(output).toContain(`postern: these mount points are in folders of Postern: ${point}\n`);
    expect(output).toContain(
      'postern: the user postern and these folders were therefore not deleted: /var/cache/postern /var/lib/postern\n',
    );
    expect(output).toContain(`  umount ${point}\n`);
    expect(output).toContain('\ndata\npostern\nmark\n');
    expect(output.slice(output.indexOf('\ndata\n'))).not.toMatch(/^postern\s+\w+install/m);
    expect(exists('/etc/postern/postern.env')).toBe(false);
    install('new.deb');
    expect(JSON.parse(postern('users list --json'))).toHaveLength(1);
  });

  // The commands did not delete the folder of the mark.
  test.each(['/var/lib/postern/volume', '/var/cache/postern'])(
    'mounted on %s is complete after the commands that it prints',
    (point) => {
      const commands = `dpkg --purge postern | sed -n 's/^  //p' >/tmp/commands && sh -eux /tmp/commands`;
      withVolume(point, `${createMark} && echo data >${point}/file && ${commands}`);
      expect([exists('/var/lib/postern'), exists('/var/cache/postern')]).toEqual([false, false]);
      expect(inSystem('getent passwd postern || true')).toBe('');
      install('new.deb');
    },
  );
});

test('a purge deletes the data, the settings, the user, and everything else', () => {
  const remains =
    "find / -xdev -path /packages -prune -o -path /var/log -prune -o -path /proc -prune -o -iname '*postern*' -print";
  expect(inSystem(remains)).not.toBe('');
  inSystem('dpkg --purge postern');
  expect(inSystem(remains)).toBe('');
  expect(inSystem('getent passwd postern || true')).toBe('');
  expect(inSystem('dpkg --get-selections')).not.toContain('postern');
});
