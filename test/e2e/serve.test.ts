import { describe, expect } from 'bun:test';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { freePort, spawnServer, startBinary } from '../support/binary.ts';
import { fetchAndSolve, verify } from '../support/visitor.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { addProperty, BINARY, HIGH_LIMITS, postern, testInFolder } from './support.ts';

describe('the executable', () => {
  testInFolder('runs in an empty folder, without Bun, Node, or the source files', async (folder) => {
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
  });

  testInFolder('does not read .env and bunfig.toml in the working folder', async (folder) => {
    writeFileSync(join(folder, '.env'), 'POSTERN_PORT=nonsense\n');
    writeFileSync(join(folder, 'bunfig.toml'), 'preload = ["./missing.ts"]\n');
    const child = Bun.spawnSync([BINARY, 'version', '--json'], { cwd: folder, env: {} });
    expect(JSON.parse(child.stdout.toString())).toHaveProperty('version');
    const doctor = Bun.spawnSync([BINARY, 'doctor', '--json'], {
      cwd: folder,
      env: { POSTERN_DATA_DIR: folder },
    });
    expect(doctor.exitCode).toBe(0);
  });

  testInFolder('creates files that only its user can read', async (folder) => {
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
  });

  testInFolder('warns of a data folder that other users can enter', async (dataDir) => {
    const env = { POSTERN_DATA_DIR: dataDir };
    const first = await startBinary(BINARY, env);
    expect(await first.end('SIGTERM')).toBe(0);
    expect(first.output()).not.toContain('data-folder-exposed');
    chmodSync(dataDir, 0o755);
    chmodSync(join(dataDir, 'postern.sqlite'), 0o644);
    const second = await startBinary(BINARY, env);
    expect(await second.end('SIGTERM')).toBe(0);
    const line =
      second
        .output()
        .split('\n')
        .find((entry) => entry.includes('data-folder-exposed')) ?? '{}';
    expect(JSON.parse(line)).toMatchObject({
      level: 'warn',
      folder: dataDir,
      mode: '0755',
      readable: 'postern.sqlite',
      fix: `chmod -R o-rwx ${dataDir}`,
    });
  });

  // Every command used to need a temporary folder that is writable and executable, which containers with a read-only root lack.
  testInFolder('needs no temporary folder, unless a password is set', async (dataDir) => {
    const env = { TMPDIR: '/nonexistent', POSTERN_DATA_DIR: dataDir, POSTERN_DEMO: 'on' };
    const server = await startBinary(BINARY, env);
    const health = Bun.spawnSync([BINARY, 'healthcheck', '--url', server.url], { env });
    expect(health.exitCode).toBe(0);
    expect(await server.end('SIGTERM')).toBe(0);
    for (const args of [['version'], ['users', 'list']]) {
      expect([args, Bun.spawnSync([BINARY, ...args], { env }).exitCode]).toEqual([args, 0]);
    }
    const doctor = Bun.spawnSync([BINARY, 'doctor', '--json'], { env });
    const { checks } = JSON.parse(doctor.stdout.toString()) as { checks: { name: string; ok: boolean }[] };
    expect(checks.filter(({ ok }) => !ok)).toMatchObject([{ name: 'native-code' }]);
    const create = [BINARY, 'users', 'create', '--email', 'a@example.com', '--password-stdin'];
    const created = Bun.spawnSync(create, { env, stdin: Buffer.from('a long password') });
    expect(created.exitCode).toBe(1);
    expect(created.stderr.toString()).toContain('(TMPDIR, else /tmp)');
  });

  testInFolder('reports all errors in the configuration at once, and does not start', async (folder) => {
    const env = {
      POSTERN_DATA_DIR: join(folder, 'data'),
      POSTERN_PORT: '99999',
      POSTERN_BASE_URL: 'ftp://example.com',
      POSTERN_PUZZLE_RATE: '-1',
      POSTERN_VERIFY_KEY: 'too-short-and-secret',
    };
    const child = Bun.spawnSync([BINARY, 'serve'], { env });
    expect(child.exitCode).toBe(2);
    const output = child.stderr.toString();
    for (const name of ['POSTERN_PORT', 'POSTERN_BASE_URL', 'POSTERN_PUZZLE_RATE', 'POSTERN_VERIFY_KEY']) {
      expect(output).toContain(`${name} must be`);
    }
    expect(output).not.toContain('too-short-and-secret');
    expect(readdirSync(folder)).toEqual([]);
  });
});

/** The files of a server that has stopped. */
const DATA_FILES = ['claims.sqlite', 'postern.lock', 'postern.sqlite'];

describe('signals', () => {
  testInFolder(
    'after SIGTERM, the server finishes the running request and exits with code 0',
    async (dataDir) => {
      const property = await addProperty(dataDir);
      const server = await startBinary(BINARY, { POSTERN_DATA_DIR: dataDir, ...HIGH_LIMITS });
      const payload = await fetchAndSolve(server.url, property.sitekey);
      const slow = await startSlowVerify(server.url, property.verifyKey, payload);
      const ended = server.end('SIGTERM');
      await waitUntil('server-stopping is logged', () => server.output().includes('server-stopping'));
      const answer = await slow.finish();
      expect(answer).toContain('HTTP/1.1 200');
      expect(answer).toContain('"code":0');
      expect(await ended).toBe(0);
      expect(server.output()).toContain('"event":"server-stopped"');
    },
  );

  // Supervisors and log rotation send SIGHUP, and debuggers and scripts the others. Each of them used to stop the server.
  testInFolder('a signal without a meaning does not stop the server', async (dataDir) => {
    const server = await startBinary(BINARY, { POSTERN_DATA_DIR: dataDir });
    const ignored = ['SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGALRM', 'SIGVTALRM', 'SIGPROF', 'SIGIO', 'SIGXCPU'];
    for (const signal of [...ignored, 'SIGPIPE', 'SIGXFSZ', 'SIGPWR', 'SIGWINCH']) {
      // Bun does not know the name of SIGPWR.
      Bun.spawnSync(['bash', '-c', `kill -${signal} ${server.pid}`]);
    }
    await waitUntil('all signals are logged', () =>
      ignored.every((signal) => server.output().includes(`"event":"signal-ignored","signal":"${signal}"`)),
    );
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    expect(await server.end('SIGTERM')).toBe(0);
  });

  testInFolder('the end of its terminal stops the server cleanly', async (dataDir) => {
    const script = `set timeout 60
      spawn "${BINARY}" serve
      expect "server-started" {} timeout { exit 97 } eof { exit 98 }
      close
      exit [lindex [wait] 3]`;
    const { exitCode } = Bun.spawnSync(['expect', '-c', script], {
      env: { PATH: process.env.PATH, POSTERN_DATA_DIR: dataDir, POSTERN_PORT: String(await freePort()) },
    });
    expect(exitCode).toBe(0);
    expect(readdirSync(dataDir).sort()).toEqual(DATA_FILES);
  });

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    testInFolder(`repeated ${signal}s of a person end the server immediately`, async (dataDir) => {
      const property = await addProperty(dataDir);
      const server = await startBinary(BINARY, { POSTERN_DATA_DIR: dataDir, ...HIGH_LIMITS });
      // A request that never ends keeps the drain waiting.
      const slow = await startSlowVerify(server.url, property.verifyKey, 'x'.repeat(100));
      const ended = server.end(signal);
      await waitUntil('server-stopping is logged', () => server.output().includes('server-stopping'));
      const repeating = setInterval(() => !server.hasEnded() && process.kill(server.pid, signal), 100);
      expect(await ended).toBe('SIGKILL');
      clearInterval(repeating);
      slow.abandon();
    });
  }

  // Two SIGTERMs within 10 ms used to kill the server; supervisors and wrappers do this.
  testInFolder('signals in quick succession stop the server once, and cleanly', async (dataDir) => {
    const property = await addProperty(dataDir);
    const server = await startBinary(BINARY, { POSTERN_DATA_DIR: dataDir, ...HIGH_LIMITS });
    const payload = await fetchAndSolve(server.url, property.sitekey);
    const slow = await startSlowVerify(server.url, property.verifyKey, payload);
    const ended = server.end('SIGTERM');
    for (const signal of ['SIGTERM', 'SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGHUP', 'SIGTERM'] as const) {
      // Otherwise, the kernel combines equal signals.
      Bun.sleepSync(5);
      process.kill(server.pid, signal);
    }
    await waitUntil('server-stopping is logged', () => server.output().includes('server-stopping'));
    expect(await slow.finish()).toContain('"code":0');
    expect(await ended).toBe(0);
    expect(server.output().match(/"event":"server-stop\w+"/g)).toEqual([
      '"event":"server-stopping"',
      '"event":"server-stopped"',
    ]);
    expect(readdirSync(dataDir).sort()).toEqual(DATA_FILES);
  });

  testInFolder(
    'a wrapper that forwards a signal of its whole group does not kill the server',
    async (dataDir) => {
      const wrapper = `"${BINARY}" "$@" & child=$!; trap 'kill -TERM $child' TERM; wait $child; wait $child; exit $?`;
      const server = await startBinary(['bash', '-c', wrapper, 'postern'], { POSTERN_DATA_DIR: dataDir });
      const [pid] = Bun.spawnSync(['pgrep', '-P', String(server.pid)])
        .stdout.toString()
        .split('\n');
      process.kill(Number(pid), 'SIGTERM');
      expect(await server.end('SIGTERM')).toBe(0);
      await waitUntil('server-stopped is logged', () => server.output().includes('server-stopped'));
      expect(readdirSync(dataDir).sort()).toEqual(DATA_FILES);
    },
  );

  // The signal used to kill the process, and as the first process of a container, the server ignored it.
  testInFolder('SIGTERM during the start stops the server cleanly', async (dataDir) => {
    const server = spawnServer(BINARY, {
      POSTERN_DATA_DIR: dataDir,
      POSTERN_PORT: String(await freePort()),
    });
    await waitUntil('the database exists', () => existsSync(join(dataDir, 'postern.sqlite')));
    expect(await server.end('SIGTERM')).toBe(0);
    await server.exited;
    expect(server.output()).toContain('"event":"server-stopped"');
    expect(readdirSync(dataDir).sort()).toEqual(DATA_FILES);
  });
});

/** Sends the headers of a verification and half of its body. */
async function startSlowVerify(url: string, key: string, payload: string) {
  const { protocol, hostname, port } = new URL(url);
  const isTls = protocol === 'https:';
  const socket = isTls
    ? connectTls({ host: hostname, port: Number(port), rejectUnauthorized: false })
    : connect(Number(port), hostname);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString();
  });
  const closed = new Promise((resolve) => socket.on('close', resolve));
  await new Promise((resolve) => socket.on(isTls ? 'secureConnect' : 'connect', resolve));
  const half = Math.floor(payload.length / 2);
  const head = `POST /verify HTTP/1.1\r\nHost: ${hostname}\r\nX-API-Key: ${key}\r\nContent-Length: ${payload.length}\r\n\r\n`;
  await new Promise((resolve) => socket.write(head + payload.slice(0, half), resolve));
  // When the server responds to a later request, it has received this one.
  await fetch(`${url}/livez`, { tls: { rejectUnauthorized: false } });
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
  testInFolder(
    'uses the certificate from PEM files, and SIGHUP loads a renewed certificate without downtime',
    async (folder) => {
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
      makeCertificate(tls, 'third');
      const slow = await startSlowVerify(server.url, 'key', 'x'.repeat(100));
      const ended = server.end('SIGTERM');
      await waitUntil('server-stopping is logged', () => server.output().includes('server-stopping'));
      process.kill(server.pid, 'SIGHUP');
      await Bun.sleep(50);
      slow.abandon();
      expect(await ended).toBe(0);
      // A new listener would accept connections again.
      expect(server.output().match(/certificate-reloaded/g)).toHaveLength(1);
    },
  );
});

function makeCertificate(folder: string, name: string): void {
  const options = [
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
  const { exitCode, stderr } = Bun.spawnSync(['openssl', ...options, ...files]);
  if (exitCode !== 0) throw new Error(stderr.toString());
}

async function subjectAt(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connectTls({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subject?.CN));
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

describe('the start', () => {
  testInFolder(
    'with API keys but without a first user fails with code 2 and names the missing settings',
    async (folder) => {
      const env = {
        POSTERN_DATA_DIR: join(folder, 'data'),
        POSTERN_VERIFY_KEY: 'k'.repeat(40),
        POSTERN_PORT: String(await freePort()),
      };
      const child = Bun.spawnSync([BINARY, 'serve'], { env });
      expect(child.exitCode).toBe(2);
      expect(child.stderr.toString()).toContain('POSTERN_ADMIN_EMAIL');
    },
  );

  testInFolder('creates the configured first user and API keys once', async (folder) => {
    const dataDir = join(folder, 'data');
    const verifyKey = `chosen-${'v'.repeat(40)}`;
    const settings = {
      POSTERN_DATA_DIR: dataDir,
      POSTERN_ADMIN_EMAIL: 'Admin@Example.com',
      POSTERN_ADMIN_PASSWORD: 'correct horse battery',
      POSTERN_VERIFY_KEY: verifyKey,
      POSTERN_PORTAL_KEY: `chosen-${'p'.repeat(40)}`,
      ...HIGH_LIMITS,
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
  });

  // Bun used to let a second server share the port, and each server got half of the requests.
  testInFolder('on the port of a running server fails with code 1', async (folder) => {
    const first = await startBinary(BINARY, { POSTERN_DATA_DIR: join(folder, 'one') });
    const env = { POSTERN_DATA_DIR: join(folder, 'two'), POSTERN_PORT: new URL(first.url).port };
    const second = Bun.spawnSync([BINARY, 'serve'], { env, timeout: 60_000 });
    expect(second.exitCode).toBe(1);
    expect(second.stderr.toString()).toContain(env.POSTERN_PORT);
    expect(await first.end('SIGTERM')).toBe(0);
  });

  testInFolder(
    'with an invalid host or certificate fails with code 2, names the variable, and creates nothing',
    async (folder) => {
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
    },
  );

  testInFolder('with a file that is not a database fails with code 1 and names the file', async (dataDir) => {
    const env = { POSTERN_DATA_DIR: dataDir, POSTERN_PORT: String(await freePort()) };
    expect(Bun.spawnSync([BINARY, 'users', 'list'], { env, timeout: 60_000 }).exitCode).toBe(0);
    writeFileSync(join(dataDir, 'claims.sqlite'), 'not a database '.repeat(500));
    const child = Bun.spawnSync([BINARY, 'serve'], { env, timeout: 60_000 });
    expect(child.exitCode).toBe(1);
    expect(child.stderr.toString()).toContain('claims.sqlite: file is not a database');
  });

  testInFolder('of six servers in one empty folder succeeds and creates one demo', async (dataDir) => {
    const settings = { POSTERN_DATA_DIR: dataDir, POSTERN_DEMO: 'on' };
    const servers = await Promise.all(Array.from({ length: 6 }, () => startBinary(BINARY, settings)));
    const sitekeys = servers.map((server) => /Sitekey:\s+(\w+)/.exec(server.output())?.[1]);
    expect(new Set(sitekeys).size).toBe(1);
    for (const server of servers) await server.kill();
  });

  testInFolder('on port 0 selects a free port and prints it', async (dataDir) => {
    const env = { POSTERN_DATA_DIR: dataDir, POSTERN_PORT: '0', POSTERN_DEMO: 'on' };
    const child = Bun.spawn([BINARY, 'serve'], { env, stdout: 'pipe', stderr: 'ignore' });
    const reader = child.stdout.getReader();
    let output = '';
    while (!output.includes('Portal key:')) output += new TextDecoder().decode((await reader.read()).value);
    const page = /Demo page:\s+(\S+)/.exec(output)?.[1] ?? '';
    expect((await fetch(page)).status).toBe(200);
    child.kill('SIGKILL');
    await child.exited;
  });

  testInFolder('on a port that is in use fails with code 1 and names the port', async (folder) => {
    const blocker = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('') });
    const env = { POSTERN_DATA_DIR: join(folder, 'data'), POSTERN_PORT: String(blocker.port) };
    const child = Bun.spawnSync([BINARY, 'serve'], { env });
    await blocker.stop(true);
    expect(child.exitCode).toBe(1);
    expect(child.stderr.toString()).toContain(String(env.POSTERN_PORT));
    expect(readdirSync(env.POSTERN_DATA_DIR).filter((name) => /-(wal|shm)$/.test(name))).toEqual([]);
  });
});
