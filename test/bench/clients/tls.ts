import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../support/binary.ts';
import { PATIENCE_MS } from '../../support/waitUntil.ts';
import { BenchError, outputOf } from '../harness/cleanup.ts';
import type { BenchServer, Lab } from '../harness/lab.ts';
import { compileClient } from './compile.ts';
import { puzzleRequest } from './openLoop.ts';
import { cpuMicroseconds } from './wrk.ts';

/** Certificates, nginx, and the client that opens TLS connections. */

export type KeyPairFiles = { readonly cert: string; readonly key: string };

/** Creates a self-signed certificate for ECDSA with P-256. */
export async function createCertificate(lab: Lab): Promise<KeyPairFiles> {
  const [cert, key] = [join(lab.folder, 'cert.pem'), join(lab.folder, 'key.pem')];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  const subject = ['-subj', '/CN=localhost', '-days', '2', '-nodes'];
  await outputOf(['openssl', 'req', '-x509', ...curve, ...subject, '-keyout', key, '-out', cert], lab);
  return { cert, key };
}

/** One worker; connections to the server are kept alive; tickets are on, which is nginx's default. */
function nginxConfig(folder: string, port: number, upstream: number, { cert, key }: KeyPairFiles): string {
  return `
worker_processes 1;
daemon off;
pid ${folder}/nginx.pid;
error_log ${folder}/nginx.log warn;
worker_rlimit_nofile 16384;
events { worker_connections 16000; }
http {
  access_log off;
  client_body_temp_path ${folder}/nginx-body;
  proxy_temp_path ${folder}/nginx-proxy;
  fastcgi_temp_path ${folder}/nginx-fastcgi;
  uwsgi_temp_path ${folder}/nginx-uwsgi;
  scgi_temp_path ${folder}/nginx-scgi;
  upstream postern { server 127.0.0.1:${upstream}; keepalive 64; }
  server {
    listen 127.0.0.1:${port} ssl;
    ssl_certificate ${cert};
    ssl_certificate_key ${key};
    ssl_protocols TLSv1.2 TLSv1.3;
    location / {
      proxy_pass http://postern;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header X-Forwarded-For $remote_addr;
    }
  }
}
`;
}

/** A program that accepts TLS connections, and the processes that do its work. */
export type TlsTarget = { readonly port: number; readonly cpu: () => number };

/** Starts nginx as a TLS proxy in front of a server. */
export async function startNginx(lab: Lab, upstream: BenchServer, pair: KeyPairFiles): Promise<TlsTarget> {
  const port = await freePort();
  const config = join(lab.folder, 'nginx.conf');
  writeFileSync(config, nginxConfig(lab.folder, port, upstream.port, pair));
  const child = Bun.spawn(['nginx', '-c', config, '-p', lab.folder], { stdout: 'ignore', stderr: 'pipe' });
  lab.defer(async () => {
    child.kill('SIGTERM');
    await child.exited;
  });
  await waitForPort(port, async () => {
    if (child.exitCode !== null)
      throw new BenchError(`nginx failed: ${await new Response(child.stderr).text()}`);
  });
  const children = await Bun.file(`/proc/${child.pid}/task/${child.pid}/children`).text();
  const pids = [child.pid, upstream.pid, ...children.split(' ').filter(Boolean).map(Number)];
  return { port, cpu: () => pids.reduce((sum, pid) => sum + cpuMicroseconds(pid), 0) };
}

async function waitForPort(port: number, check: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (performance.now() < deadline) {
    try {
      const socket = await Bun.connect({ hostname: '127.0.0.1', port, socket: { data() {} } });
      socket.end();
      return;
    } catch {
      await check();
      await Bun.sleep(20);
    }
  }
  throw new BenchError(`no program listens on port ${port}`);
}

export type TlsMeasurement = {
  /** Connections per second. */
  readonly rate: number;
  /** Microseconds of processor time of the server, or of nginx and the server, per connection. */
  readonly cpu: number;
  /** Share of the connections that resumed a session. */
  readonly resumedShare: number;
  /** Share of one core that the busiest client used. */
  readonly clientShare: number;
};

/** Connections that a client opens at the same time. */
const CONCURRENCY = 32;
/** A client needs as much processor time as the server, so half of the cores belong to clients. */
const CLIENTS = Math.max(1, Math.floor(availableParallelism() / 2));

/** The output of `connections.c`. */
type ClientResult = Readonly<Record<'connections' | 'resumed' | 'seconds' | 'clientShare', number>>;

/** Opens new connections with TLS 1.3 as fast as possible, each with one request. */
export type TlsClient = {
  readonly measure: (target: TlsTarget, resumes: boolean) => Promise<TlsMeasurement>;
  /** Opens idle connections, each after one request. @returns a function that closes them */
  readonly openIdle: (port: number, count: number, usesTls: boolean) => Promise<() => Promise<void>>;
};

export async function openTlsClient(lab: Lab, server: BenchServer): Promise<TlsClient> {
  const program = await compileClient('connections', lab.folder, lab);
  const request = join(lab.folder, 'request');
  writeFileSync(request, puzzleRequest(server));
  return {
    async measure({ port, cpu }, resumes) {
      const before = cpu();
      const numbers = [port, lab.duration.seconds, CONCURRENCY].map(String);
      const command = [program, 'rate', ...numbers, request, resumes ? '1' : '0'];
      const outputs = await Promise.all(Array.from({ length: CLIENTS }, () => outputOf(command, lab)));
      const results = outputs.map((output) => JSON.parse(output) as ClientResult);
      const sum = (of: (result: ClientResult) => number) =>
        results.reduce((total, one) => total + of(one), 0);
      const connections = sum((one) => one.connections);
      if (connections === 0) throw new Error('no connections were opened');
      return {
        rate: sum((one) => one.connections / one.seconds),
        cpu: (cpu() - before) / connections,
        resumedShare: sum((one) => one.resumed) / connections,
        clientShare: Math.max(...results.map((one) => one.clientShare)),
      };
    },
    async openIdle(port, count, usesTls) {
      const args = ['idle', port, count, CONCURRENCY, request, usesTls ? 1 : 0].map(String);
      const child = Bun.spawn([program, ...args], { stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' });
      lab.defer(() => child.kill('SIGKILL'));
      const { value } = await child.stdout.getReader().read();
      if (new TextDecoder().decode(value) !== `open ${count}\n`)
        throw new BenchError(
          `the connections could not be opened: ${await new Response(child.stderr).text()}`,
        );
      return async () => {
        await child.stdin.end();
        await child.exited;
      };
    },
  };
}
