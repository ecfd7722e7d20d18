import { afterAll, beforeAll, expect, test } from 'bun:test';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildIfStale, ROOT } from '../../build/build.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { createSystem, outputOf, run } from './debianSystem.ts';

/** Runs the systemd unit with a real systemd, which starts in a container. Needs root. */

mkdirSync(join(ROOT, 'dist'), { recursive: true });
const folder = mkdtempSync(join(ROOT, 'dist/test-'));
const system = join(folder, 'system');
const SETTINGS = join(system, 'etc/postern/postern.env');

let container: ReturnType<typeof Bun.spawn> | undefined;

/** The process of systemd is the child of systemd-nspawn. */
function systemdPid(): number | undefined {
  if (container === undefined) return undefined;
  const children = readFileSync(`/proc/${container.pid}/task/${container.pid}/children`, 'utf8').trim();
  return children === '' ? undefined : Number(children.split(' ')[0]);
}

function enter(command: string): readonly string[] {
  return ['nsenter', '--target', String(systemdPid()), '--all', 'sh', '-c', command];
}

/** Runs a command in the container. @returns its standard output */
const inSystem = (command: string) => outputOf(enter(command));
const property = (name: string) => inSystem(`systemctl show --property=${name} --value postern`);

beforeAll(async () => {
  createSystem(system);
  cpSync(buildIfStale(), join(system, 'usr/bin/postern'));
  cpSync(join(ROOT, 'deploy/systemd/postern.service'), join(system, 'etc/systemd/system/postern.service'));
  mkdirSync(join(system, 'etc/postern'), { mode: 0o755 });
  writeFileSync(
    SETTINGS,
    'POSTERN_ADMIN_EMAIL=ann@example.com\nPOSTERN_ADMIN_PASSWORD=correct horse battery\n',
    { mode: 0o600 },
  );
  expect(run(['useradd', '--root', system, '--system', '--user-group', 'postern'])).toMatchObject({
    exitCode: 0,
  });
  expect(run(['systemctl', '--root', system, 'enable', 'postern'])).toMatchObject({ exitCode: 0 });
  container = Bun.spawn(
    [
      'systemd-nspawn',
      '--quiet',
      '--register=no',
      '--keep-unit',
      '--private-network',
      '--console=pipe',
      '-bD',
      system,
    ],
    { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' },
  );
  await waitUntil(
    'the service is active',
    () => systemdPid() !== undefined && run(enter('systemctl is-active postern')).exitCode === 0,
  );
}, 580_000);

afterAll(async () => {
  // SIGTERM makes systemd-nspawn shut systemd down.
  container?.kill('SIGTERM');
  await container?.exited;
  rmSync(folder, { recursive: true, force: true });
}, 120_000);

test('the service is ready when systemd reports that it has started, and runs without privileges', () => {
  expect(inSystem('postern healthcheck && echo ready')).toBe('ready');
  const status = inSystem(`cat /proc/${property('MainPID')}/status`);
  for (const line of [
    'NoNewPrivs:\t1',
    'Seccomp:\t2',
    'CapBnd:\t0000000000000000',
    'CapEff:\t0000000000000000',
  ])
    expect(status).toContain(line);
  expect(inSystem(`stat -c %U /proc/${property('MainPID')}`)).toBe('postern');
  expect(inSystem("stat -c '%a %U:%G' /var/lib/postern")).toBe('700 postern:postern');
  // The mark of the data.
  expect(inSystem("stat -c '%a %U:%G' /var/cache/postern")).toBe('700 postern:postern');
  expect(inSystem('ls /var/cache/postern')).toMatch(/^postern-[0-9a-f]{16}\.json$/);
});

// The native add-on is unpacked and loaded for this.
test('the service hashes a password', () => {
  const users = inSystem('runuser -u postern -- postern users list --json --data-dir /var/lib/postern');
  expect(JSON.parse(users)).toMatchObject([{ email: 'ann@example.com', admin: true }]);
});

// A reload right after the start used to stop the server.
test('a reload right after a start does not stop the server, nor does a SIGHUP', async () => {
  inSystem('systemctl restart postern && systemctl reload postern');
  inSystem('systemctl kill --signal=HUP postern');
  await waitUntil('the signal has arrived', () =>
    inSystem('journalctl --unit postern --output cat').includes('signal-ignored'),
  );
  expect(inSystem('postern healthcheck && echo ready')).toBe('ready');
  expect(property('NRestarts')).toBe('0');
});

test('a server that is blocked for longer than the interval of the watchdog is restarted', async () => {
  inSystem('mkdir -p /run/systemd/system/postern.service.d');
  inSystem('printf "[Service]\\nWatchdogSec=2\\n" >/run/systemd/system/postern.service.d/watchdog.conf');
  inSystem('systemctl daemon-reload && systemctl restart postern');
  const blocked = property('MainPID');
  await Bun.sleep(5000);
  // The server proves that it works.
  expect(property('MainPID')).toBe(blocked);
  inSystem('systemctl kill --signal=STOP postern');
  await waitUntil(
    'the service is active again',
    () => property('MainPID') !== blocked && property('ActiveState') === 'active',
  );
  inSystem('rm -r /run/systemd/system/postern.service.d && systemctl daemon-reload');
  inSystem('systemctl restart postern && systemctl reset-failed postern');
});

// The start used to succeed, because another server answered on the port.
test('a start fails while another server uses the port', async () => {
  inSystem('systemctl stop postern');
  inSystem(
    'systemd-run --unit=other --uid=postern --property=StateDirectory=other --setenv=POSTERN_DATA_DIR=/var/lib/other postern serve',
  );
  await waitUntil('the other server is ready', () => run(enter('postern healthcheck')).exitCode === 0);
  expect(run(enter('systemctl start postern')).exitCode).not.toBe(0);
  expect(inSystem('journalctl --unit postern --lines 5 --output cat')).toContain(
    'cannot listen on port 8080',
  );
  inSystem('systemctl stop postern other && systemctl start postern');
  expect(inSystem('postern healthcheck && echo ready')).toBe('ready');
});

test('a killed server is started again', async () => {
  const killed = property('MainPID');
  inSystem('systemctl kill --signal=KILL postern');
  await waitUntil(
    'the service is active again',
    () => property('NRestarts') === '1' && property('ActiveState') === 'active',
  );
  expect(property('MainPID')).not.toBe(killed);
});

test('a server with an incorrect setting is not started again', async () => {
  const settings = readFileSync(SETTINGS, 'utf8');
  writeFileSync(SETTINGS, `${settings}POSTERN_PORT=none\n`);
  expect(run(enter('systemctl restart postern')).exitCode).not.toBe(0);
  await waitUntil('the service has failed', () => property('ActiveState') === 'failed');
  expect([property('ExecMainStatus'), property('NRestarts')]).toEqual(['2', '0']);
  expect(inSystem('journalctl --unit postern --lines 5 --output cat')).toContain('POSTERN_PORT must be');
  writeFileSync(SETTINGS, settings);
});

test('a drop-in allows a port below 1024', () => {
  const dropIns = join(system, 'etc/systemd/system/postern.service.d');
  mkdirSync(dropIns);
  const [, dropIn = ''] =
    /listen on port 443:\n\n```ini\n([^`]+)```/.exec(
      readFileSync(join(ROOT, 'docs/how-to/install.md'), 'utf8'),
    ) ?? [];
  expect(dropIn).toStartWith('[Service]\n');
  writeFileSync(join(dropIns, 'override.conf'), `${dropIn}Environment=POSTERN_PORT=443\n`);
  inSystem('systemctl daemon-reload && systemctl restart postern');
  expect(inSystem('postern healthcheck --url http://127.0.0.1:443 && echo ready')).toBe('ready');
});

test('a stop ends with exit code 0', () => {
  inSystem('systemctl stop postern');
  expect([property('Result'), property('ExecMainStatus')]).toEqual(['success', '0']);
});
