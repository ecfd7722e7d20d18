import { describe, expect } from 'bun:test';
import { chmodSync, chownSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort, spawnServer } from '../support/binary.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { addProperty, BINARY, testInFolder } from './support.ts';

const IS_ROOT = process.getuid?.() === 0;
/** The numeric ids of `nobody` and its group. */
const NOBODY = 65_534;

function settingsFor(folder: string) {
  const path = join(folder, 'http.sock');
  return {
    path,
    settings: {
      POSTERN_HOST: `unix:${path}`,
      POSTERN_BASE_URL: 'https://captcha.example.com',
      POSTERN_DATA_DIR: join(folder, 'data'),
      POSTERN_THREADS: '1',
    },
  };
}

async function start(settings: Readonly<Record<string, string>>) {
  const server = spawnServer(BINARY, settings);
  await waitUntil(
    'the server has started',
    () => server.output().includes('"server-started"') || server.hasEnded(),
  );
  expect(server.output()).toContain('"server-started"');
  return server;
}

async function run(command: readonly string[], settings: Readonly<Record<string, string>> = {}) {
  const child = Bun.spawn([...command], {
    env: { PATH: process.env.PATH ?? '', ...settings },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { out, err, code };
}

const curl = (path: string, target: string) =>
  run(['curl', '-s', '--unix-socket', path, `http://localhost${target}`]);

describe('a server on a Unix socket', () => {
  testInFolder('responds, creates the file for its group, and deletes it when it stops', async (folder) => {
    const { path, settings } = settingsFor(folder);
    const server = await start(settings);
    expect(statSync(path).mode & 0o777).toBe(0o660);
    expect(JSON.parse((await curl(path, '/readyz')).out)).toMatchObject({ problems: [] });
    expect(await run([BINARY, 'healthcheck'], settings)).toEqual({ out: '', err: '', code: 0 });
    expect((await run([BINARY, 'doctor', '--json'], settings)).out).toContain(
      'from the proxy on the Unix socket',
    );
    expect(await server.end('SIGTERM')).toBe(0);
    expect(existsSync(path)).toBe(false);
    expect((await run([BINARY, 'healthcheck'], settings)).code).toBe(1);
  });

  testInFolder('replaces the file of a killed server, but not of a running one', async (folder) => {
    const { path, settings } = settingsFor(folder);
    const killed = await start(settings);
    await killed.end('SIGKILL');
    expect(existsSync(path)).toBe(true);
    const server = await start(settings);
    const other = { ...settings, POSTERN_DATA_DIR: join(folder, 'other') };
    const second = await run([BINARY, 'serve'], other);
    expect(second.code).not.toBe(0);
    expect(second.err).toContain(
      `cannot listen on ${path} (POSTERN_HOST): another server listens on this socket`,
    );
    expect((await curl(path, '/livez')).code).toBe(0);
    expect(await server.end('SIGTERM')).toBe(0);
    writeFileSync(path, 'a file');
    const third = await run([BINARY, 'serve'], settings);
    expect(third.code).not.toBe(0);
    expect(third.err).toContain('the file exists and is not a socket');
    expect(existsSync(path)).toBe(true);
  });

  testInFolder('receives the client addresses from nginx, which runs as another user', async (folder) => {
    chmodSync(folder, 0o755);
    const run = join(folder, 'run');
    mkdirSync(run);
    if (IS_ROOT) chownSync(run, 0, NOBODY);
    chmodSync(run, 0o2750);
    const { path, settings } = settingsFor(run);
    const dataDir = join(folder, 'data');
    const { sitekey } = await addProperty(dataDir);
    const limits = { POSTERN_PUZZLE_BURST: '1', POSTERN_PUZZLE_RATE: '0.001' };
    const server = await start({ ...settings, ...limits, POSTERN_DATA_DIR: dataDir });
    const port = await freePort();
    const nginx = startNginx(folder, port, path);
    const ask = (from: string) => statusFrom(from, port, `/puzzle?sitekey=${sitekey}`);
    await waitUntil('nginx responds', async () => (await statusFrom('127.0.0.9', port, '/livez')) === 200);
    const statuses = [];
    for (const from of ['127.0.0.2', '127.0.0.3', '127.0.0.2', '127.0.0.3']) statuses.push(await ask(from));
    expect(statuses).toEqual([200, 200, 429, 429]);
    nginx.kill('SIGTERM');
    await nginx.exited;
    expect(await server.end('SIGTERM')).toBe(0);
  });
});

function startNginx(folder: string, port: number, path: string) {
  const file = join(folder, 'nginx.conf');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  writeFileSync(
    file,
    `${IS_ROOT ? 'user nobody nogroup;' : ''} daemon off; error_log stderr; pid ${join(folder, 'nginx.pid')};
    events {}
    http { access_log off; ${temporary.join(' ')}
      upstream postern { server unix:${path}; keepalive 4; }
      server { listen 127.0.0.1:${port};
        location / { proxy_pass http://postern; proxy_http_version 1.1; proxy_set_header Connection "";
          proxy_set_header Host captcha.example.com; proxy_set_header X-Forwarded-For $remote_addr; } } }`,
  );
  return Bun.spawn(['nginx', '-p', folder, '-c', file, '-e', 'stderr'], {
    stdout: 'ignore',
    stderr: 'ignore',
  });
}

/** @param from the client's address; any address in 127.0.0.0/8 @returns the HTTP status; 0 without a response */
function statusFrom(from: string, port: number, target: string): Promise<number> {
  return new Promise((resolve) => {
    let received = '';
    const socket = connect({ host: '127.0.0.1', port, localAddress: from });
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(Number(received.split(' ')[1] ?? 0)));
    const headers = 'Host: a\r\nOrigin: https://example.com\r\nConnection: close\r\n';
    socket.write(`GET ${target} HTTP/1.1\r\n${headers}\r\n`);
  });
}
