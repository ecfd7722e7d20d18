import { Database } from 'bun:sqlite';
import { describe, expect } from 'bun:test';
import { closeSync, mkdirSync, openSync, readdirSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { MIGRATIONS, migrate } from '../../src/storage/sqlite/migrate.ts';
import {
  addProperty,
  BINARY,
  HIGH_LIMITS,
  type PropertyAndKey,
  postern,
  testInFolder,
} from '../e2e/support.ts';
import { freePort, type RunningBinary, startBinary } from '../support/binary.ts';
import { fetchAndSolve, fetchPuzzle, verify } from '../support/visitor.ts';
import { waitUntil } from '../support/waitUntil.ts';

function run(...command: readonly string[]): void {
  const { exitCode, stderr } = Bun.spawnSync([...command]);
  if (exitCode !== 0) throw new Error(`${command.join(' ')} failed: ${stderr}`);
}

/** Runs a test with a small file system in memory, which only root can mount. @param options of mount(8) */
function testOnSmallDisk(
  title: string,
  work: (disk: string) => Promise<void>,
  options: string = 'size=6m',
): void {
  testInFolder(title, async (folder) => {
    const disk = join(folder, 'disk');
    mkdirSync(disk);
    run('mount', '-t', 'tmpfs', '-o', options, 'tmpfs', disk);
    try {
      await work(disk);
    } finally {
      run('umount', '--lazy', disk);
    }
  });
}

/** Fills the disk to the last byte, or until the given number of bytes is free. @returns a function that frees the space */
function fill(disk: string, left = 0): () => void {
  const file = join(disk, 'filler');
  const descriptor = openSync(file, 'w');
  const freeBytes = () => {
    const { bavail, bsize } = statfsSync(disk);
    return bavail * bsize;
  };
  for (const size of [4096, 1]) {
    try {
      while (left === 0 || freeBytes() > left) writeSync(descriptor, new Uint8Array(size));
    } catch {
      // The disk is full.
    }
  }
  closeSync(descriptor);
  return () => rmSync(file);
}

/** Starts `postern serve`, which must fail. @returns its standard error */
async function failToStart(dataDir: string, command: readonly string[] = [BINARY]): Promise<string> {
  const env = { POSTERN_DATA_DIR: dataDir, POSTERN_PORT: String(await freePort()) };
  const child = Bun.spawnSync([...command, 'serve'], { env, timeout: 60_000 });
  expect(child.exitCode).toBe(1);
  return child.stderr.toString();
}

const countOf = ({ output }: RunningBinary, event: string) => output().split(`"event":"${event}"`).length - 1;

/** Verifies a new solution and renames the organization. @returns what was acknowledged; the other results must be 503 */
async function writeBoth(
  server: RunningBinary,
  property: PropertyAndKey,
  { key, org }: Portal,
  name: string,
) {
  const payload = await fetchAndSolve(server.url, property.sitekey);
  const verdict = await verify(server.url, property.verifyKey, payload);
  if (!verdict.success) expect(verdict).toMatchObject({ status: 503, code: 1 });
  const answer = await fetch(`${server.url}/org`, {
    method: 'PUT',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ id: org, name }),
  });
  if (!answer.ok) expect([answer.status, await answer.text()]).toEqual([503, expect.any(String)]);
  return { payload: verdict.success ? payload : undefined, organization: answer.ok ? name : undefined };
}

type Written = Awaited<ReturnType<typeof writeBoth>>;

/** Writes until both kinds have failed, and then for some more seconds. */
async function writeWhileBroken(server: RunningBinary, property: PropertyAndKey, portal: Portal) {
  const written: Written[] = [];
  const [failed, until] = [{ payload: 0, organization: 0 }, performance.now() + 4000];
  for (let i = 0; i < 2000; i++) {
    const one = await writeBoth(server, property, portal, `Org ${i}`);
    written.push(one);
    if (one.payload === undefined) failed.payload++;
    if (one.organization === undefined) failed.organization++;
    if (failed.payload > 20 && failed.organization > 20 && performance.now() > until) break;
  }
  expect([failed.payload > 20, failed.organization > 20]).toEqual([true, true]);
  return written;
}

async function expectRecovery(server: RunningBinary, property: PropertyAndKey, portal: Portal) {
  await waitUntil('the database recovers', () => countOf(server, 'database-recovered') > 0);
  await waitUntil('claims can be stored', async () => (await fetch(`${server.url}/readyz`)).ok);
  const after = await writeBoth(server, property, portal, 'After');
  expect([after.payload, after.organization]).toEqual([expect.any(String), 'After']);
  expect([countOf(server, 'database-failed'), countOf(server, 'database-recovered')]).toEqual([1, 1]);
  return after;
}

async function expectWritten(dataDir: string, property: PropertyAndKey, written: readonly Written[]) {
  const server = await startBinary(BINARY, { POSTERN_DATA_DIR: dataDir, ...HIGH_LIMITS });
  for (const { payload } of written) {
    if (payload !== undefined) expect((await verify(server.url, property.verifyKey, payload)).code).toBe(8);
  }
  await server.kill();
  for (const name of ['postern.sqlite', 'claims.sqlite']) {
    const database = new Database(join(dataDir, name));
    expect(database.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    database.close();
  }
  const [organization] = await postern<{ name: string }[]>(dataDir, 'orgs', 'list');
  const names = written.flatMap((one) => one.organization ?? []);
  expect(organization?.name).toBe(names.at(-1) as string);
  const database = new Database(join(dataDir, 'postern.sqlite'));
  const renamed = "SELECT count(*) FROM audit WHERE action = 'organization-renamed'";
  expect(database.query(renamed).values()).toEqual([[names.length]]);
  database.close();
}

/** A key of the Platform API, and the id of the organization that it can rename. */
type Portal = { readonly key: string; readonly org: string };

async function openPortal(dataDir: string): Promise<Portal> {
  const options = ['--user', 'owner@example.com', '--name', 'Scripts', '--scope', 'portal'];
  const { key } = await postern<{ key: string }>(dataDir, 'keys', 'create', ...options);
  const [organization] = await postern<{ id: string }[]>(dataDir, 'orgs', 'list');
  return { key, org: organization?.id ?? '' };
}

describe('a disk that becomes full', () => {
  // The events database-failed and database-recovered used to alternate several times per second.
  testOnSmallDisk('loses nothing, is reported once, and ends without a restart', async (disk) => {
    const dataDir = join(disk, 'data');
    const property = await addProperty(dataDir);
    const portal = await openPortal(dataDir);
    const server = await startBinary(BINARY, { POSTERN_DATA_DIR: dataDir, ...HIGH_LIMITS });
    const free = fill(disk);
    const written = await writeWhileBroken(server, property, portal);
    await fetchPuzzle(server.url, property.sitekey);
    expect([countOf(server, 'database-failed'), countOf(server, 'database-recovered')]).toEqual([1, 0]);
    free();
    const after = await expectRecovery(server, property, portal);
    await server.kill();
    await expectWritten(dataDir, property, [...written, after]);
  });
});

describe('files that cannot be written while the server runs', () => {
  // The kernel does not remount a file system read-only while files are open for writing, so a file size limit makes writes fail.
  testInFolder(
    'lead to 503 for verifications, puzzles continue, and the server recovers',
    async (dataDir) => {
      const property = await addProperty(dataDir);
      const portal = await openPortal(dataDir);
      const command = ['bash', '-c', `trap '' XFSZ; exec "${BINARY}" "$@"`, 'postern'];
      const server = await startBinary(command, { POSTERN_DATA_DIR: dataDir, ...HIGH_LIMITS });
      const before = await writeBoth(server, property, portal, 'Before');
      run('prlimit', '--pid', String(server.pid), '--fsize=0:unlimited');
      const written = await writeWhileBroken(server, property, portal);
      expect(written.filter(({ payload, organization }) => payload ?? organization)).toEqual([]);
      await fetchPuzzle(server.url, property.sitekey);
      run('prlimit', '--pid', String(server.pid), '--fsize=unlimited:unlimited');
      const after = await expectRecovery(server, property, portal);
      await server.kill();
      await expectWritten(dataDir, property, [before, after]);
    },
  );
});

describe('a start', () => {
  testOnSmallDisk('on a full disk fails with code 1 and names the file and the reason', async (disk) => {
    const free = fill(disk);
    expect(await failToStart(join(disk, 'data'))).toMatch(/data.*(disk is full|no space left on device)/i);
    free();
    const server = await startBinary(BINARY, { POSTERN_DATA_DIR: join(disk, 'data') });
    expect(await server.end('SIGTERM')).toBe(0);
  });

  testOnSmallDisk(
    'on a read-only file system fails with code 1 and names the file and the remedy',
    async (disk) => {
      const dataDir = join(disk, 'data');
      // By another process, which closes the files.
      await postern(dataDir, 'users', 'list');
      run('mount', '-o', 'remount,ro', disk);
      const message = await failToStart(dataDir);
      expect(message).toContain(join(dataDir, 'postern.sqlite'));
      expect(message).toContain('whether the file system is mounted read-only');
      expect(await failToStart(join(disk, 'new'))).toContain(join(disk, 'new'));
      run('mount', '-o', 'remount,rw', disk);
      const server = await startBinary(BINARY, { POSTERN_DATA_DIR: dataDir });
      expect(await server.end('SIGTERM')).toBe(0);
    },
  );

  testInFolder('with a folder of another user fails with code 1 and names the file', async (folder) => {
    const dataDir = join(folder, 'data');
    await addProperty(dataDir);
    run('chmod', '755', folder, dataDir);
    run('chmod', '644', join(dataDir, 'postern.sqlite'));
    // BINARY may be in a folder that other users cannot enter.
    run('cp', BINARY, join(folder, 'postern'));
    const other = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', join(folder, 'postern')];
    const message = await failToStart(dataDir, other);
    expect(message).toContain(join(dataDir, 'postern.sqlite'));
    expect(message).toContain('check the owner, the permissions');
  });
});

/** Creates a database with the schema of version 0.1.0. */
function createOldDatabase(dataDir: string): void {
  mkdirSync(dataDir, { mode: 0o700 });
  const database = new Database(join(dataDir, 'postern.sqlite'), { create: true });
  database.run('PRAGMA journal_mode = WAL');
  migrate(database, MIGRATIONS.slice(0, 6));
  database.close();
}

describe('an upgrade', () => {
  testOnSmallDisk(
    'without space for a copy of the databases migrates nothing, and continues when there is space',
    async (disk) => {
      const dataDir = join(disk, 'data');
      createOldDatabase(dataDir);
      const free = fill(disk, 16 * 1024 ** 2);
      const message = await failToStart(dataDir);
      expect(message).toMatch(
        /the databases were not migrated, because .* not enough disk space: a backup needs \d+ MiB in .*, but only 16 MiB is free/,
      );
      expect(readdirSync(dataDir).filter((name) => name.startsWith('before-upgrade'))).toEqual([]);
      free();
      const server = await startBinary(BINARY, { POSTERN_DATA_DIR: dataDir });
      expect(countOf(server, 'upgrade-copied')).toBe(1);
      expect(await server.end('SIGTERM')).toBe(0);
      expect(readdirSync(dataDir)).toContain(`before-upgrade-6-to-${MIGRATIONS.length}.tar`);
    },
    'size=96m',
  );
});

describe('a temporary folder that is mounted noexec', () => {
  testOnSmallDisk(
    'fails a check of `doctor`, which says what to do',
    async (disk) => {
      const check = async (temporary: string) => {
        const env = { POSTERN_DATA_DIR: join(disk, 'data'), POSTERN_DNS_CHECK: 'off', TMPDIR: temporary };
        const child = Bun.spawnSync([BINARY, 'doctor', '--json'], { env });
        const { checks } = JSON.parse(child.stdout.toString()) as { checks: { name: string; ok: boolean }[] };
        return checks.find(({ name }) => name === 'native-code');
      };
      const failed = await check(disk);
      expect(failed).toMatchObject({ ok: false });
      expect(JSON.stringify(failed)).toContain(`the temporary folder ${disk}`);
      expect(JSON.stringify(failed)).toContain('noexec');
      run('mount', '-o', 'remount,exec', disk);
      expect(await check(disk)).toMatchObject({ ok: true });
      expect(await check(join(disk, 'missing'))).toMatchObject({ ok: false });
    },
    'size=16m,noexec',
  );
});
