import { describe, expect, test } from 'bun:test';
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort, startBinary } from '../support/binary.ts';
import { waitUntil } from '../support/patience.ts';
import { fetchAndSolve, verify } from '../support/visitor.ts';
import { AMPLE, BINARY, makeSite, postern, withFolder } from './support.ts';

describe('the binary alone', () => {
  test(
    'serves every request from an empty folder, without Bun, Node or the sources',
    () =>
      withFolder(async (folder) => {
        const binary = join(folder, 'postern');
        cpSync(BINARY, binary);
        const dataDir = join(folder, 'not', 'there', 'yet');
        const server = await startBinary([binary], {
          PATH: '/nowhere',
          POSTERN_DATA_DIR: dataDir,
          POSTERN_DEMO: 'on',
        });
        const output = server.output();
        const sitekey = /Sitekey:\s+(\w+)/.exec(output)?.[1] ?? '';
        const key = /Verify key:\s+(\w+)/.exec(output)?.[1] ?? '';
        const payload = await fetchAndSolve(server.url, sitekey, 'http://localhost:3000');
        expect(await verify(server.url, key, payload)).toMatchObject({
          success: true,
          code: 0,
          origin: 'localhost',
        });
        expect(await verify(server.url, key, payload)).toMatchObject({ success: false, code: 8 });
        const widget = await fetch(`${server.url}/widget/postern.js`);
        expect([widget.status, widget.headers.get('content-type')]).toEqual([
          200,
          'text/javascript; charset=utf-8',
        ]);
        expect((await fetch(`${server.url}/demo`)).status).toBe(200);
        expect(await server.end('SIGTERM')).toBe(0);
        expect(readdirSync(folder).sort()).toEqual(['not', 'postern']);
      }),
    120_000,
  );

  test(
    'reads no .env and no bunfig.toml of the folder that it is started in',
    () =>
      withFolder(async (folder) => {
        writeFileSync(join(folder, '.env'), 'POSTERN_PORT=nonsense\n');
        writeFileSync(join(folder, 'bunfig.toml'), 'preload = ["./missing.ts"]\n');
        const child = Bun.spawnSync([BINARY, 'version', '--json'], { cwd: folder, env: {} });
        expect(JSON.parse(child.stdout.toString())).toHaveProperty('version');
        const doctor = Bun.spawnSync([BINARY, 'doctor', '--json'], {
          cwd: folder,
          env: { POSTERN_DATA_DIR: folder },
        });
        expect(doctor.exitCode).toBe(0);
      }),
    120_000,
  );

  test(
    'writes files that only its user reads',
    () =>
      withFolder(async (folder) => {
        const dataDir = join(folder, 'data');
        await postern(dataDir, 'users', 'list');
        const listed = Bun.spawnSync([
          'stat',
          '-c',
          '%a %n',
          dataDir,
          join(dataDir, 'postern.sqlite'),
        ]).stdout.toString();
        expect(
          listed
            .split('\n')
            .map((line) => line.slice(0, 3))
            .filter(Boolean),
        ).toEqual(['700', '600']);
      }),
    120_000,
  );

  // Once, every command needed a temporary folder that may be written and executed: no container with a read-only
  // root has one.
  test(
    'needs no temporary folder, unless a password is set',
    () =>
      withFolder(async (dataDir) => {
        const env = { TMPDIR: '/nonexistent', POSTERN_DATA_DIR: dataDir, POSTERN_DEMO: 'on' };
        const server = await startBinary(BINARY, env);
        const health = Bun.spawnSync([BINARY, 'healthcheck', '--url', server.url], { env });
        expect(health.exitCode).toBe(0);
        expect(await server.end('SIGTERM')).toBe(0);
        for (const words of [['version'], ['doctor'], ['users', 'list']]) {
          expect([words, Bun.spawnSync([BINARY, ...words], { env }).exitCode]).toEqual([words, 0]);
        }
        const create = [BINARY, 'users', 'create', '--email', 'a@example.com', '--password-stdin'];
        const created = Bun.spawnSync(create, { env, stdin: Buffer.from('a long password') });
        expect(created.exitCode).toBe(1);
        expect(created.stderr.toString()).toContain('(TMPDIR, else /tmp)');
      }),
    120_000,
  );

  test(
    'all mistakes of the configuration are told at once, and nothing starts',
    () =>
      withFolder(async (folder) => {
        const env = {
          POSTERN_DATA_DIR: join(folder, 'data'),
          POSTERN_PORT: '99999',
          POSTERN_BASE_URL: 'ftp://example.com',
          POSTERN_PUZZLE_RATE: '-1',
          POSTERN_VERIFY_KEY: 'too-short-and-secret',
        };
        const child = Bun.spawnSync([BINARY, 'serve'], { env });
        expect(child.exitCode).toBe(2);
        const said = child.stderr.toString();
        for (const name of [
          'POSTERN_PORT',
          'POSTERN_BASE_URL',
          'POSTERN_PUZZLE_RATE',
          'POSTERN_VERIFY_KEY',
        ]) {
          expect(said).toContain(`${name} must be`);
        }
        expect(said).not.toContain('too-short-and-secret');
        expect(readdirSync(folder)).toEqual([]);
      }),
    120_000,
  );
});

describe('signals', () => {
  test(
    'SIGTERM lets a running request finish, refuses new ones, and ends with 0',
    () =>
      withFolder(async (dataDir) => {
        const site = await makeSite(dataDir);
        const server = await startBinary(BINARY, { POSTERN_DATA_DIR: dataDir, ...AMPLE });
        const payload = await fetchAndSolve(server.url, site.sitekey);
        const slow = await startSlowVerify(server.url, site.verifyKey, payload);
        const ended = server.end('SIGTERM');
        await waitUntil('server-stopping is logged', () => server.output().includes('server-stopping'));
        const answer = await slow.finish();
        expect(answer).toContain('HTTP/1.1 200');
        expect(answer).toContain('"code":0');
        expect(await ended).toBe(0);
        expect(server.output()).toContain('"event":"server-stopped"');
      }),
    120_000,
  );

  test(
    'SIGHUP without a certificate means what a closed terminal means by it',
    () =>
      withFolder(async (dataDir) => {
        const server = await startBinary(BINARY, { POSTERN_DATA_DIR: dataDir });
        expect(await server.end('SIGHUP')).toBe(0);
        expect(server.output()).toContain('"event":"server-stopped"');
      }),
    120_000,
  );

  test(
    'a second signal ends it at once',
    () =>
      withFolder(async (dataDir) => {
        const site = await makeSite(dataDir);
        const server = await startBinary(BINARY, { POSTERN_DATA_DIR: dataDir, ...AMPLE });
        // A request that never ends keeps the drain waiting.
        const slow = await startSlowVerify(server.url, site.verifyKey, 'x'.repeat(100));
        const ended = server.end('SIGTERM');
        await waitUntil('server-stopping is logged', () => server.output().includes('server-stopping'));
        process.kill(server.pid, 'SIGTERM');
        expect(await ended).not.toBe(0);
        slow.abandon();
      }),
    120_000,
  );
});

/** Sends a verification's head and half of its body. */
async function startSlowVerify(url: string, key: string, payload: string) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString();
  });
  const closed = new Promise((resolve) => socket.on('close', resolve));
  await new Promise((resolve) => socket.on('connect', resolve));
  const half = Math.floor(payload.length / 2);
  const head = `POST /verify HTTP/1.1\r\nHost: ${hostname}\r\nX-API-Key: ${key}\r\nContent-Length: ${payload.length}\r\n\r\n`;
  await new Promise((resolve) => socket.write(head + payload.slice(0, half), resolve));
  // The server has the request once it answers another one that was sent later.
  await fetch(`${url}/livez`);
  return {
    async finish(): Promise<string> {
      socket.write(payload.slice(half));
      await closed;
      return received;
    },
    abandon: () => socket.destroy(),
  };
}

describe('https', () => {
  test(
    'is served from PEM files, and SIGHUP takes a renewed certificate without dropping the listener',
    () =>
      withFolder(async (folder) => {
        const tls = join(folder, 'tls');
        mkdirSync(tls);
        makeCertificate(tls, 'first');
        const server = await startBinary(BINARY, {
          POSTERN_DATA_DIR: join(folder, 'data'),
          POSTERN_TLS_CERT: join(tls, 'cert.pem'),
          POSTERN_TLS_KEY: join(tls, 'key.pem'),
        });
        expect(await subjectAt(server.url)).toContain('first');
        const headers = (await fetch(`${server.url}/livez`, { tls: { rejectUnauthorized: false } })).headers;
        expect(headers.get('strict-transport-security')).toContain('max-age=');
        makeCertificate(tls, 'second');
        process.kill(server.pid, 'SIGHUP');
        await waitUntil('certificate-reloaded is logged', () =>
          server.output().includes('certificate-reloaded'),
        );
        expect(await subjectAt(server.url)).toContain('second');
        writeFileSync(join(tls, 'cert.pem'), 'not a certificate');
        process.kill(server.pid, 'SIGHUP');
        await waitUntil('certificate-not-reloaded is logged', () =>
          server.output().includes('certificate-not-reloaded'),
        );
        expect(await subjectAt(server.url)).toContain('second');
        expect(await server.end('SIGTERM')).toBe(0);
      }),
    120_000,
  );
});

function makeCertificate(folder: string, name: string): void {
  const words = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-days',
    '2',
  ];
  const files = [
    '-keyout',
    join(folder, 'key.pem'),
    '-out',
    join(folder, 'cert.pem'),
    '-subj',
    `/CN=${name}.example.com`,
  ];
  const { exitCode, stderr } = Bun.spawnSync(['openssl', ...words, ...files]);
  if (exitCode !== 0) throw new Error(stderr.toString());
}

async function subjectAt(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const { connect: connectTls } = await import('node:tls');
  return new Promise((resolve, reject) => {
    const socket = connectTls({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subject?.CN));
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

describe('a start', () => {
  test(
    'without users but with keys configured says who is missing, and ends with 2',
    () =>
      withFolder(async (folder) => {
        const env = {
          POSTERN_DATA_DIR: join(folder, 'data'),
          POSTERN_VERIFY_KEY: 'k'.repeat(40),
          POSTERN_PORT: String(await freePort()),
        };
        const child = Bun.spawnSync([BINARY, 'serve'], { env });
        expect(child.exitCode).toBe(2);
        expect(child.stderr.toString()).toContain('POSTERN_ADMIN_EMAIL');
      }),
    120_000,
  );

  test(
    'makes the configured first user and keys once, and they work',
    () =>
      withFolder(async (folder) => {
        const dataDir = join(folder, 'data');
        const verifyKey = `chosen-${'v'.repeat(40)}`;
        const settings = {
          POSTERN_DATA_DIR: dataDir,
          POSTERN_ADMIN_EMAIL: 'Admin@Example.com',
          POSTERN_ADMIN_PASSWORD: 'correct horse battery',
          POSTERN_VERIFY_KEY: verifyKey,
          POSTERN_PORTAL_KEY: `chosen-${'p'.repeat(40)}`,
          ...AMPLE,
        };
        for (let start = 0; start < 2; start++) {
          const server = await startBinary(BINARY, settings);
          const test = await fetchAndSolve(server.url, 'aaaaaaaabbbbccccddddeeeeeeeeeeee');
          expect(await verify(server.url, verifyKey, test)).toMatchObject({ success: true, code: 10 });
          expect(server.output()).not.toContain('correct horse battery');
          expect(server.output()).not.toContain(verifyKey);
          expect(await server.end('SIGTERM')).toBe(0);
        }
        const users = await postern<{ email: string; admin: boolean }[]>(dataDir, 'users', 'list');
        expect(users).toMatchObject([{ email: 'admin@example.com', admin: true }]);
        expect(await postern<unknown[]>(dataDir, 'keys', 'list')).toHaveLength(2);
      }),
    120_000,
  );

  // Once, Bun let the second server share the port, and each got half of the visitors.
  test(
    'on the port of another Postern fails',
    () =>
      withFolder(async (folder) => {
        const first = await startBinary(BINARY, { POSTERN_DATA_DIR: join(folder, 'one') });
        const env = { POSTERN_DATA_DIR: join(folder, 'two'), POSTERN_PORT: new URL(first.url).port };
        const second = Bun.spawnSync([BINARY, 'serve'], { env, timeout: 60_000 });
        expect(second.exitCode).toBe(1);
        expect(second.stderr.toString()).toContain(env.POSTERN_PORT);
        expect(await first.end('SIGTERM')).toBe(0);
      }),
    120_000,
  );

  test(
    'on a wrong host, or with a certificate that cannot be used, names the variable, makes nothing, and ends with 2',
    () =>
      withFolder(async (folder) => {
        const data = { POSTERN_DATA_DIR: join(folder, 'data') };
        for (const [variable, env] of [
          ['POSTERN_HOST', { POSTERN_HOST: '256.1.1.1' }],
          [
            'POSTERN_TLS_CERT',
            { POSTERN_TLS_CERT: join(folder, 'missing'), POSTERN_TLS_KEY: join(folder, 'missing') },
          ],
        ] as const) {
          const child = Bun.spawnSync([BINARY, 'serve'], { env: { ...data, ...env }, timeout: 60_000 });
          expect([variable, child.exitCode]).toEqual([variable, 2]);
          expect(child.stderr.toString()).toContain(variable);
        }
        expect(readdirSync(folder)).toEqual([]);
      }),
    120_000,
  );

  test(
    'on a file that is no database names the file',
    () =>
      withFolder(async (dataDir) => {
        writeFileSync(join(dataDir, 'claims.sqlite'), 'no database '.repeat(500));
        const env = { POSTERN_DATA_DIR: dataDir, POSTERN_PORT: String(await freePort()) };
        const child = Bun.spawnSync([BINARY, 'serve'], { env, timeout: 60_000 });
        expect(child.exitCode).toBe(1);
        expect(child.stderr.toString()).toContain('claims.sqlite: file is not a database');
      }),
    120_000,
  );

  test(
    'of six servers on one empty folder succeeds six times, and makes one demo',
    () =>
      withFolder(async (dataDir) => {
        const settings = { POSTERN_DATA_DIR: dataDir, POSTERN_DEMO: 'on' };
        const servers = await Promise.all(Array.from({ length: 6 }, () => startBinary(BINARY, settings)));
        const sitekeys = servers.map((server) => /Sitekey:\s+(\w+)/.exec(server.output())?.[1]);
        expect(new Set(sitekeys).size).toBe(1);
        for (const server of servers) await server.kill();
      }),
    120_000,
  );

  test(
    'on port 0 takes any free one, and names it everywhere',
    () =>
      withFolder(async (dataDir) => {
        const env = { POSTERN_DATA_DIR: dataDir, POSTERN_PORT: '0', POSTERN_DEMO: 'on' };
        const child = Bun.spawn([BINARY, 'serve'], { env, stdout: 'pipe', stderr: 'ignore' });
        const reader = child.stdout.getReader();
        let output = '';
        while (!output.includes('Portal key:'))
          output += new TextDecoder().decode((await reader.read()).value);
        const page = /Demo page:\s+(\S+)/.exec(output)?.[1] ?? '';
        expect((await fetch(page)).status).toBe(200);
        child.kill('SIGKILL');
        await child.exited;
      }),
    120_000,
  );

  test(
    'on a port that is taken fails with a sentence',
    () =>
      withFolder(async (folder) => {
        const blocker = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('') });
        const env = { POSTERN_DATA_DIR: join(folder, 'data'), POSTERN_PORT: String(blocker.port) };
        const child = Bun.spawnSync([BINARY, 'serve'], { env });
        await blocker.stop(true);
        expect(child.exitCode).toBe(1);
        expect(child.stderr.toString()).toContain(String(env.POSTERN_PORT));
      }),
    120_000,
  );
});
