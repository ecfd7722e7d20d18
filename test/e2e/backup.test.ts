import { Database } from 'bun:sqlite';
import { describe, expect } from 'bun:test';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { TEST_SITEKEY } from '../../src/model/property.ts';
import { type RunningBinary, startBinary } from '../support/binary.ts';
import { fetchAndSolve, verify } from '../support/visitor.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { addProperty, BINARY, HIGH_LIMITS, type PropertyAndKey, testInFolder } from './support.ts';

const CONNECTIONS = 16;
/** The library of Debian's package `faketime` changes the wall clock of a process, but not its timers. */
const FAKETIME_LIBRARIES = ['x86_64', 'aarch64'].map(
  (cpu) => `/usr/lib/${cpu}-linux-gnu/faketime/libfaketimeMT.so.1`,
);

type Ended = { readonly code: number | string; readonly out: string; readonly err: string };

/** Runs a command of the executable. @returns also the name of the signal that ended it */
async function run(dataDir: string, ...args: readonly string[]): Promise<Ended> {
  const child = start(dataDir, ...args);
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code: child.signalCode ?? child.exitCode ?? 0, out, err };
}

function start(dataDir: string, ...args: readonly string[]) {
  const env = { POSTERN_DATA_DIR: dataDir };
  return Bun.spawn([BINARY, ...args], { env, stdout: 'pipe', stderr: 'pipe' });
}

/** A data folder with a property that only processes of the executable have opened. */
type Installation = PropertyAndKey & { readonly dataDir: string; readonly seed: string };

async function install(folder: string): Promise<Installation> {
  const [first, dataDir, seed] = [join(folder, 'first'), join(folder, 'data'), join(folder, 'seed.tar')];
  const property = await addProperty(first, '--validity-seconds', '3600');
  expect(await run(first, 'backup', seed)).toMatchObject({ code: 0 });
  expect(await run(dataDir, 'restore', seed)).toMatchObject({ code: 0 });
  return { ...property, dataDir, seed };
}

/** Starts a server on the folder. */
function serve(dataDir: string, settings: Readonly<Record<string, string>> = {}): Promise<RunningBinary> {
  return startBinary(BINARY, { POSTERN_DATA_DIR: dataDir, ...HIGH_LIMITS, ...settings });
}

/** Verifies payloads on several connections until `stop`. */
function startVerifying({ url }: RunningBinary, key: string, nextPayload: () => Promise<string>) {
  const accepted: string[] = [];
  const failed: unknown[] = [];
  let isStopped = false;
  const client = async () => {
    while (!isStopped) {
      const payload = await nextPayload();
      const verdict = await verify(url, key, payload);
      if (verdict.code === 0) accepted.push(payload);
      else failed.push(verdict);
    }
  };
  const clients = Array.from({ length: CONNECTIONS }, client);
  return {
    accepted,
    failed,
    async stop() {
      isStopped = true;
      await Promise.all(clients);
    },
  };
}

const codesOf = async ({ url }: RunningBinary, key: string, payloads: readonly string[]) =>
  new Set(await Promise.all(payloads.map(async (payload) => (await verify(url, key, payload)).code)));

describe('a backup while the server verifies at full rate', () => {
  testInFolder(
    'is consistent, and after its restore, the server rejects all earlier puzzles',
    async (folder) => {
      const { dataDir, sitekey, verifyKey } = await install(folder);
      const server = await serve(dataDir);
      const unused = await Promise.all(Array.from({ length: 20 }, () => fetchAndSolve(server.url, sitekey)));
      const traffic = startVerifying(server, verifyKey, () => fetchAndSolve(server.url, sitekey));
      await waitUntil('claims exist', () => traffic.accepted.length > 200);
      const before = traffic.accepted.length;
      const backup = join(folder, 'backup.tar');
      expect(await run(dataDir, 'backup', backup)).toMatchObject({ code: 0 });
      const during = traffic.accepted.length - before;
      await waitUntil('claims were added', () => traffic.accepted.length > before + during + 200);
      await traffic.stop();
      // No verification failed or waited until the backup was complete.
      expect(traffic.failed).toEqual([]);
      expect(during).toBeGreaterThan(0);

      expect((await run(dataDir, 'restore', backup, '--force')).err).toContain('stop it first');
      expect(await server.end('SIGTERM')).toBe(0);
      expect(await run(dataDir, 'restore', backup, '--force')).toMatchObject({ code: 0 });

      const restored = await serve(dataDir);
      expect(restored.output()).not.toContain('claims-lost');
      const earlier = [...traffic.accepted.slice(0, 100), ...traffic.accepted.slice(-100), ...unused];
      const again = startVerifying(restored, verifyKey, () => fetchAndSolve(restored.url, sitekey));
      expect(await codesOf(restored, verifyKey, earlier)).toEqual(new Set([11]));
      await waitUntil('new puzzles are accepted', () => again.accepted.length > 50);
      await again.stop();
      expect(again.failed).toEqual([]);
      expect(await codesOf(restored, verifyKey, again.accepted.slice(0, 20))).toEqual(new Set([8]));
      // The puzzle of the test property is not signed.
      const payload = await fetchAndSolve(restored.url, TEST_SITEKEY);
      expect(await verify(restored.url, verifyKey, payload)).toMatchObject({ success: true, code: 10 });
      await restored.kill();
    },
    300_000,
  );
});

/** Kills a command at a random moment of its run. @returns whether it was still running */
async function kill(dataDir: string, afterMs: number, ...args: readonly string[]): Promise<boolean> {
  const child = start(dataDir, ...args);
  await Promise.race([Bun.sleep(afterMs), child.exited]);
  child.kill('SIGKILL');
  await child.exited;
  return child.signalCode === 'SIGKILL';
}

/** Adds claims until a backup takes some time. */
function grow(dataDir: string): void {
  const database = new Database(join(dataDir, 'claims.sqlite'));
  database.run(`
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 400000)
    INSERT INTO claims SELECT 4000000000 + n, randomblob(8), 1 FROM numbers`);
  database.close();
}

/** @returns the duration of the work in milliseconds */
async function measure(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

describe('a command that is killed', () => {
  testInFolder(
    'leaves no backup file, and the next backup deletes its temporary files',
    async (folder) => {
      const { dataDir } = await install(folder);
      await (await serve(dataDir)).end('SIGTERM');
      grow(dataDir);
      const backups = join(folder, 'backups');
      mkdirSync(backups);
      const first = join(backups, 'first.tar');
      const duration = await measure(() => run(dataDir, 'backup', first));
      let killed = 0;
      for (let round = 0; round < 8; round++) {
        const file = join(backups, `${round}.tar`);
        const isKilled = await kill(dataDir, (duration * (round + 1)) / 9, 'backup', file);
        if (!isKilled) expect(statSync(file).size).toBe(statSync(first).size);
        // A file with the final name is complete, even if the process was killed after it got its name.
        else if (existsSync(file)) expect(statSync(file).size).toBe(statSync(first).size);
        else killed += 1;
      }
      expect(killed).toBeGreaterThan(0);
      expect(await run(dataDir, 'backup', join(backups, 'last.tar'))).toMatchObject({ code: 0 });
      expect(readdirSync(backups).filter((name) => !name.endsWith('.tar'))).toEqual([]);
      expect(readdirSync(dataDir)).not.toContain('backup.tmp');
      const server = await serve(dataDir);
      expect(server.output()).not.toContain('claims-lost');
      await server.kill();
    },
    300_000,
  );

  testInFolder(
    'leaves the old databases, or a folder that servers reject, if it was a restore',
    async (folder) => {
      const { dataDir } = await install(folder);
      await (await serve(dataDir)).end('SIGTERM');
      const backup = join(folder, 'backup.tar');
      await run(dataDir, 'backup', backup);
      for (const [at, call] of SYSTEM_CALLS.entries()) {
        const email = `later${at}@example.com`;
        expect(await run(dataDir, 'users', 'create', '--email', email)).toMatchObject({ code: 0 });
        expect(await killAt(call, dataDir, 'restore', backup, '--force')).toBe('SIGKILL');
        const { code, out, err } = await run(dataDir, 'users', 'list');
        if (call.startsWith('mkdir'))
          expect({ call, code, isOld: out.includes(email) }).toMatchObject({ call, code: 0, isOld: true });
        else
          expect({ call, err }).toEqual({
            call,
            err: expect.stringContaining('a restore of this folder was interrupted'),
          });
        expect(await run(dataDir, 'restore', backup, '--force')).toMatchObject({ code: 0 });
        const listed = await run(dataDir, 'users', 'list');
        expect([listed.code, listed.out.includes('owner@'), listed.out.includes('later')]).toEqual([
          0,
          true,
          false,
        ]);
      }
      const server = await serve(dataDir);
      expect(server.output()).not.toContain('claims-lost');
      await server.kill();
      expect(readdirSync(dataDir)).not.toContain('restore.tmp');
    },
    300_000,
  );
});

/**
 * The system calls of a restore that changes the data folder: it creates `restore.tmp` and a folder for the old databases, moves two
 * databases away and two in, and deletes `restore-unfinished`.
 */
const SYSTEM_CALLS = [
  ...['mkdir:when=2', 'rename:when=1', 'rename:when=2', 'rename:when=3', 'rename:when=4'],
  'unlink:restore-unfinished',
];

/** Runs a command and kills it when it enters a system call. @returns the signal that ended it */
async function killAt(call: string, dataDir: string, ...args: readonly string[]): Promise<string> {
  const [name = '', condition = ''] = call.split(':');
  const isCount = condition.startsWith('when=');
  const inject = `inject=${name}:signal=SIGKILL${isCount ? `:${condition}` : ''}`;
  const only = isCount ? [] : ['-P', join(dataDir, condition)];
  const strace = ['strace', '-f', '-qq', '-o', '/dev/null', '-e', `trace=${name}`, ...only, '-e', inject];
  const child = Bun.spawn([...strace, BINARY, ...args], {
    env: { POSTERN_DATA_DIR: dataDir },
    stdout: 'ignore',
    stderr: 'ignore',
  });
  await child.exited;
  return String(child.signalCode);
}

/** Mounts a small file system in memory in its own mount namespace and runs a script there. */
async function inSmallFileSystem(folder: string, bytes: string, script: string): Promise<Ended> {
  const setUp = `mount -t tmpfs -o size=${bytes} tmpfs "$1" && cd "$1" && ${script}`;
  const child = Bun.spawn(['unshare', '--mount', 'bash', '-c', setUp, 'bash', folder, BINARY], {
    env: { PATH: process.env.PATH ?? '' },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code: child.exitCode ?? '', out, err };
}

describe('a full disk', () => {
  testInFolder('makes a backup fail with a clear error, and the backup leaves no file', async (folder) => {
    const { dataDir } = await install(folder);
    const small = join(folder, 'small');
    mkdirSync(small);
    const script = `"$2" backup backup.tar --data-dir ${dataDir}; echo $?; ls -A`;
    const { out, err } = await inSmallFileSystem(small, '100k', script);
    expect(out).toBe('1\n');
    expect(err).toMatch(/^postern: the backup cannot be written to \S+: .*no space left on device/i);
    expect(readdirSync(dataDir)).not.toContain('backup.tmp');
  });

  testInFolder(
    'makes a restore fail with a clear error, and the restore leaves the folder empty',
    async (folder) => {
      const { seed } = await install(folder);
      const small = join(folder, 'small');
      mkdirSync(small);
      const script = `"$2" restore ${seed} --data-dir .; echo $?; ls -A`;
      const { out, err } = await inSmallFileSystem(small, '100k', script);
      expect(out).toBe('1\npostern.lock\n');
      expect(err).toMatch(/^postern: .*no space left on device/i);
    },
  );

  testInFolder('is prevented: a backup does not use the space that the server needs', async (folder) => {
    const { seed } = await install(folder);
    const small = join(folder, 'small');
    mkdirSync(small);
    const script = `"$2" restore ${seed} --data-dir . && "$2" backup ${folder}/out.tar --data-dir .; ls -A`;
    const { out, err } = await inSmallFileSystem(small, '32m', script);
    expect(err).toMatch(/not enough disk space: a backup needs \d+ MiB in \S+ for its copies/);
    expect(out).not.toContain('backup.tmp');
    expect(existsSync(join(folder, 'out.tar'))).toBe(false);
  });
});

describe('a server with a schedule', () => {
  testInFolder(
    'creates backups that can be restored, even if its executable has been deleted',
    async (folder) => {
      const { dataDir } = await install(folder);
      const backups = join(folder, 'backups');
      mkdirSync(backups);
      const executable = join(folder, 'postern');
      cpSync(BINARY, executable);
      const server = await startBinary(executable, {
        POSTERN_DATA_DIR: dataDir,
        ...HIGH_LIMITS,
        POSTERN_BACKUP_SCHEDULE: '* * * * *',
        POSTERN_BACKUP_DIR: backups,
        POSTERN_BACKUP_PASSPHRASE: 'correct horse battery staple',
        ...shortlyBeforeMinute(),
      });
      // Scheduled backups failed when an upgrade had deleted or replaced the executable of a running server.
      rmSync(executable);
      const isDone = () => server.output().includes('"event":"backup-done"');
      // A server that starts too late for the first minute creates the backup in the next one.
      await waitUntil('a backup is done', isDone).catch(() => waitUntil('a backup is done', isDone));
      expect(await server.end('SIGTERM')).toBe(0);
      const [name = ''] = readdirSync(backups);
      expect(name).toMatch(/^postern-[0-9a-f]{8}-\d{8}T\d{6}Z\.tar\.age$/);
      const { code } = await run(
        join(folder, 'restored'),
        ...['restore', join(backups, name), '--backup-passphrase', 'correct horse battery staple'],
      );
      expect(code).toBe(0);
    },
    240_000,
  );
});

/** @returns settings for a server whose clock shows the 35th second of a minute, so that it starts before the next one on a busy machine */
function shortlyBeforeMinute(): Readonly<Record<string, string>> {
  const offset = 35 - (Math.floor(Date.now() / 1000) % 60);
  return {
    LD_PRELOAD: FAKETIME_LIBRARIES.find(existsSync) ?? 'faketime is not installed',
    FAKETIME: `${offset < 0 ? '' : '+'}${offset}`,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
}
