import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../architecture/tree.ts';
import { freePort } from './binary.ts';
import { startDns, type TestDns } from './dns.ts';
import { waitUntil } from './waitUntil.ts';

/** Pebble, the ACME server for tests of Let's Encrypt, on free ports. It resolves every name to 127.0.0.1. */
export type Pebble = {
  /** The URL of the directory. */
  readonly directory: string;
  /** The file and the content of the certificate that clients of the ACME server must trust. */
  readonly caFile: string;
  readonly ca: string;
  /** The port on which Pebble expects the responses to HTTP-01 challenges. */
  readonly httpPort: number;
  readonly dns: TestDns;
  /** The file with the root certificate of the certificates that it issues. */
  readonly rootFile: string;
  /** Stops Pebble, and starts it again on the same ports without its accounts. */
  readonly kill: () => Promise<void>;
  readonly restart: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

export type PebbleOptions = {
  /** Lifetime of the certificates; 90 days by default. */
  readonly validitySeconds?: number;
  /** Percentage of nonces that are rejected. */
  readonly rejectedNonces?: number;
};

/** In seconds. */
const QUARTER = 90 * 24 * 60 * 60;

export async function startPebble(options: PebbleOptions = {}): Promise<Pebble> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-pebble-'));
  const file = (name: string) => join(folder, name);
  await createCertificate(file('cert.pem'), file('key.pem'));
  const [port, managementPort, httpPort, tlsPort] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  const dns = await startDns({ '*': { A: ['127.0.0.1'] } });
  const config = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${managementPort}`,
    certificate: file('cert.pem'),
    privateKey: file('key.pem'),
    httpPort,
    tlsPort,
    certificateValidityPeriod: options.validitySeconds ?? QUARTER,
  };
  writeFileSync(file('config.json'), JSON.stringify({ pebble: config }));
  const ca = readFileSync(file('cert.pem'), 'utf8');
  const directory = `https://127.0.0.1:${port}/dir`;
  let child = spawn();

  function spawn() {
    return Bun.spawn(['pebble', '-config', file('config.json'), '-dnsserver', dns.address], {
      // Without a pause before each validation, and without random reuse of authorizations.
      env: {
        PATH: process.env.PATH ?? '',
        PEBBLE_VA_NOSLEEP: '1',
        PEBBLE_AUTHZREUSE: '0',
        PEBBLE_WFE_NONCEREJECT: String(options.rejectedNonces ?? 5),
      },
      stdout: 'ignore',
      stderr: 'ignore',
    });
  }

  async function get(url: string): Promise<string> {
    return (await fetch(url, { tls: { ca } })).text();
  }

  async function waitUntilReady(): Promise<void> {
    await waitUntil('Pebble is ready', async () =>
      (await get(directory).catch(() => '')).includes('newOrder'),
    );
    writeFileSync(file('root.pem'), await get(`https://127.0.0.1:${managementPort}/roots/0`));
  }

  async function kill(): Promise<void> {
    child.kill('SIGKILL');
    await child.exited;
  }

  await waitUntilReady();
  return {
    directory,
    ca,
    caFile: file('cert.pem'),
    rootFile: file('root.pem'),
    httpPort,
    dns,
    kill,
    async restart() {
      child = spawn();
      await waitUntilReady();
    },
    async stop() {
      await kill();
      await dns.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function createCertificate(cert: string, key: string): Promise<void> {
  const { exitCode, output } = await run(
    ...['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
    ...['-keyout', key, '-out', cert, '-days', '2', '-subj', '/CN=localhost', '-addext'],
    'subjectAltName=IP:127.0.0.1',
  );
  if (exitCode !== 0) throw new Error(output);
}
