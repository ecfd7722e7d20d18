import { Database } from 'bun:sqlite';
import { afterEach, beforeAll, beforeEach, describe, expect, setSystemTime, test } from 'bun:test';
import {
  chmodSync,
  chownSync,
  closeSync,
  cpSync,
  openSync,
  readdirSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { identifyFileSystem } from '../../../src/cli/doctor/fileSystems.ts';
import { type CommandLine, createCommandLine, PROGRAM, useCommandLine } from '../commandLine.ts';
import { type Check, examine } from './examine.ts';

const source = useCommandLine();
beforeAll(async () => {
  // In other processes, so that this process does not keep the files open.
  await source.spawn('users create --email ann@example.com');
  const module = JSON.stringify(join(import.meta.dir, '../../../src/storage/sqlite/ledger/claims.ts'));
  const options = JSON.stringify({ file: join(source.dataDir, 'claims.sqlite'), durability: 'full' });
  const script = `(await import(${module})).openClaims(${options}).close()`;
  await Bun.spawn([process.execPath, '-e', script]).exited;
});

let cli: CommandLine;
beforeEach(() => {
  cli = createCommandLine();
  cpSync(source.dataDir, cli.dataDir, { recursive: true });
});
afterEach(async () => {
  setSystemTime();
  await cli.remove();
});

const path = (name: string) => join(cli.dataDir, name);

async function expectFailure(name: string, detail: RegExp, fix: RegExp) {
  const { code, check } = await examine(cli);
  expect({ code, ...check(name) }).toMatchObject({ code: 1, ok: false, warning: false });
  expect(check(name)?.detail).toMatch(detail);
  expect(check(name)?.fix).toMatch(fix);
}

test('a data folder with both databases passes every check', async () => {
  const { code, report } = await examine(cli);
  expect(code).toBe(0);
  expect(report.checks.filter(({ ok, warning }) => !ok || warning)).toEqual([]);
});

// The server only sets the mode of a folder that it creates.
test('a data folder that other users can enter is reported with the command that ends their access', async () => {
  for (const name of readdirSync(cli.dataDir)) chmodSync(path(name), 0o600);
  chmodSync(cli.dataDir, 0o755);
  const { code, check } = await examine(cli);
  expect({ code, ...check('permissions') }).toMatchObject({ code: 0, ok: true, warning: true });
  expect(check('permissions')?.detail).toContain(
    'has mode 0755: other users of this machine can see its files',
  );
  expect(check('permissions')?.fix).toBe(`Run: chmod -R o-rwx ${cli.dataDir}`);
  chmodSync(path('claims.sqlite'), 0o644);
  await expectFailure('permissions', /mode 0755: .+ can read claims\.sqlite$/, /chmod -R o-rwx/);
  const command = check('permissions')?.fix?.slice('Run: '.length) ?? '';
  expect(Bun.spawnSync(['sh', '-c', command]).exitCode).toBe(0);
  const fixed = await examine(cli);
  expect([fixed.code, fixed.check('permissions')?.warning]).toEqual([0, false]);
});

test('a data folder that its group can read passes', async () => {
  chmodSync(cli.dataDir, 0o2770);
  expect((await examine(cli)).check('permissions')).toMatchObject({ ok: true, warning: false });
});

test('the text output shows the fix of each problem', async () => {
  truncateSync(path('postern.sqlite'), 10_000);
  const { code, out } = await cli.run('doctor', { settings: { POSTERN_DNS_CHECK: 'off' } });
  expect(code).toBe(1);
  expect(out).toMatch(
    /ERROR {4}integrity {6}\S+postern\.sqlite: .+\n +To fix it: Stop the server.+restore a backup/,
  );
});

describe('a damaged database', () => {
  /** Overwrites the beginning of the second page. */
  function damage(name: string): void {
    const file = openSync(path(name), 'r+');
    writeSync(file, Buffer.alloc(500, 0xff), 0, 500, 4096);
    closeSync(file);
  }

  test.each(['postern.sqlite', 'claims.sqlite'])('fails the integrity check: %s', async (name) => {
    const before = readdirSync(cli.dataDir);
    damage(name);
    await expectFailure('integrity', new RegExp(`/${name}: `), /^Stop the server, .* restore a backup/);
    expect(readdirSync(cli.dataDir)).toEqual(before);
  });

  test('that is truncated fails the integrity check', async () => {
    truncateSync(path('postern.sqlite'), 5000);
    await expectFailure('integrity', /\/postern\.sqlite: /, /restore a backup/);
  });
});

describe('the clock', () => {
  test('fails before the release of the first version', async () => {
    await cli.remove();
    setSystemTime(new Date('2026-11-21T00:00:00Z'));
    await expectFailure('clock', /is before the release of the first version/, /^Set the clock/);
  });

  test('fails before the last entry of the audit log', async () => {
    const database = new Database(path('postern.sqlite'));
    database.run(
      "INSERT INTO audit (at, actor, door, action, subject, words) VALUES (?, '', 'command', 'plan-set', '', '')",
      [Date.now() + 3_600_000],
    );
    database.close();
    await expectFailure('clock', /is before the last write to the database/, /^Set the clock/);
  });

  test('fails before the last change of a file', async () => {
    const soon = new Date(Date.now() + 3_600_000);
    utimesSync(path('claims.sqlite'), soon, soon);
    await expectFailure('clock', /is before the last change of a file in the data folder/, /^Set the clock/);
  });
});

describe('the backup', () => {
  const DAYS = 86_400_000;
  const expectPass = async (detail: RegExp) => {
    const { check } = await examine(cli);
    expect(check('backup')).toMatchObject({ ok: true, warning: false });
    expect(check('backup')?.detail).toMatch(detail);
  };

  test('fails if there is none a week after the first start', async () => {
    await expectPass(/^none yet/);
    setSystemTime(new Date(Date.now() + 8 * DAYS));
    await expectFailure('backup', /^there is no backup$/, /POSTERN_BACKUP_SCHEDULE/);
  });

  test('fails if the newest one is older than a week', async () => {
    const ended = await cli.run(`backup ${join(cli.folder, 'backup.tar')}`);
    expect(ended).toMatchObject({ code: 0 });
    await expectPass(/^\d{4}-/);
    setSystemTime(new Date(Date.now() + 6 * DAYS));
    await expectPass(/^\d{4}-/);
    setSystemTime(new Date(Date.now() + 2 * DAYS));
    await expectFailure('backup', /^the newest backup is from \d{4}-/, /postern backup FILE/);
  });
});

test('an interrupted restore fails the database check', async () => {
  writeFileSync(path('restore-unfinished'), '');
  await expectFailure('database', /restore of this folder was interrupted/, /postern restore FILE --force/);
});

describe('the owner', () => {
  const OTHER_USER = 12_345;

  test('fails if a file and the folder belong to different users', async () => {
    chownSync(path('claims.sqlite'), OTHER_USER, OTHER_USER);
    await expectFailure('owner', /claims\.sqlite belongs to user 12345, but .* user 0$/, /chown -R 0 /);
  });

  test('warns if root runs the command and another user owns the folder', async () => {
    for (const name of ['', ...readdirSync(cli.dataDir)]) chownSync(path(name), OTHER_USER, OTHER_USER);
    const { code, check } = await examine(cli);
    expect({ code, ...check('owner') }).toMatchObject({ code: 0, warning: true });
    expect(check('owner')?.fix).toContain('all commands as user 12345');
  });
});

describe('a small or read-only file system', () => {
  /** Runs `doctor` in its own mount namespace, with a file system at the path of the data folder. */
  async function examineMounted(mount: string): Promise<{ code: number; checks: Check[] }> {
    const script = `${mount} && exec ${PROGRAM.join(' ')} doctor --json`;
    const child = Bun.spawn(['unshare', '--mount', 'sh', '-c', script], {
      cwd: cli.folder,
      env: { PATH: process.env.PATH ?? '', POSTERN_DATA_DIR: cli.dataDir, POSTERN_DNS_CHECK: 'off' },
      stdout: 'pipe',
      stderr: 'inherit',
    });
    const out = await new Response(child.stdout).text();
    return { code: await child.exited, checks: JSON.parse(out).checks };
  }

  test.each<[string, boolean]>([
    ['100m', false],
    ['500m', true],
  ])('with %s', async (size, ok) => {
    const { code, checks } = await examineMounted(`mount -t tmpfs -o size=${size} tmpfs ${cli.dataDir}`);
    const check = checks.find(({ name }) => name === 'free-space');
    expect({ code, ...check }).toMatchObject({ code: ok ? 0 : 1, ok, warning: ok });
    expect(check?.fix).toStartWith('Free at least 1024 MiB');
  });

  test('fails the data folder check', async () => {
    const { dataDir } = cli;
    const { code, checks } = await examineMounted(
      `mount --bind ${dataDir} ${dataDir} && mount -o remount,bind,ro ${dataDir}`,
    );
    const check = checks.find(({ name }) => name === 'data-folder');
    expect({ code, ...check }).toMatchObject({ code: 1, ok: false });
    expect(check?.fix).toStartWith('Mount the file system as writable');
  });
});

describe('a file system', () => {
  const [NFS, CIFS, EXT4, FUSE] = [0x6969, 0xff534d42, 0xef53, 0x65735546];
  const mounts = (type: string) => `22 1 8:1 / / rw - ext4 /dev/sda1 rw
40 22 0:50 / /other rw - fuse.sshfs other rw
41 22 0:51 / / rw shared:1 - ${type} remote rw
`;

  test.each([
    [NFS, '', 'network', 'NFS'],
    [CIFS, '', 'network', 'CIFS'],
    [-0xacb2be, '', 'network', 'CIFS'],
    [EXT4, '', 'local', 'local'],
    [FUSE, mounts('fuse.sshfs'), 'network', 'FUSE (sshfs)'],
    [FUSE, mounts('fuse.rclone'), 'network', 'FUSE (rclone)'],
    [FUSE, mounts('fuse.gocryptfs'), 'unknown', 'FUSE (gocryptfs)'],
    [FUSE, '', 'unknown', 'FUSE (unknown)'],
  ] as const)('of type %d with the mounts %j is %s', (type, list, kind, name) => {
    expect(identifyFileSystem(cli.dataDir, type, list)).toEqual({ kind, name });
  });

  test('is that of the innermost mount, even if its path has spaces', () => {
    const folder = cli.folder;
    const list = `1 0 8:1 / / rw - ext4 a rw\n2 1 0:5 / ${folder.replaceAll('-', '\\055')} rw - fuse.s3fs b rw\n`;
    expect(identifyFileSystem(cli.dataDir, FUSE, list)).toEqual({ kind: 'network', name: 'FUSE (s3fs)' });
  });
});
