import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BINARY, HIGH_LIMITS } from '../e2e/support.ts';
import { freePort, killLeftovers, type RunningBinary, startBinary } from '../support/binary.ts';
import {
  type DatabaseAddress,
  type PostgresServer,
  replicateSynchronously,
  startPostgres,
} from '../support/postgres.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { type RunningProxy, startClusterHaproxy } from './proxies.ts';

const EMAIL = 'owner@example.com';
export const ADMIN = { email: 'admin@example.com', password: 'lantern copper meadow 41' };

/** A sitekey, and an API key that verifies solutions. */
export type Keys = { readonly sitekey: string; readonly key: string };

/** Two nodes behind HAProxy, and a PostgreSQL primary with a synchronous standby, with the files in deploy/cluster. */
export type ExampleCluster = {
  readonly primary: PostgresServer;
  readonly standby: PostgresServer;
  readonly proxy: RunningProxy;
  readonly url: string;
  /** The settings of a node, except for its port. */
  readonly settings: Readonly<Record<string, string>>;
  readonly nodes: readonly [RunningBinary, RunningBinary];
  readonly startNode: (port: number, more?: Readonly<Record<string, string>>) => Promise<RunningBinary>;
  readonly keys: Keys;
  readonly stop: () => Promise<void>;
};

/** The settings of the example, without those of TLS and of the addresses. */
function exampleSettings(): Readonly<Record<string, string>> {
  const text = readFileSync(join(import.meta.dir, '../../deploy/cluster/postgresql.conf'), 'utf8');
  const rows = [...text.matchAll(/^(\w+) = '?([^'\n]*)'?$/gm)].map(([, name = '', value = '']) => [
    name,
    value,
  ]);
  const other = ['listen_addresses', 'ssl', 'ssl_cert_file', 'ssl_key_file', 'shared_buffers'];
  return Object.fromEntries(rows.filter(([name = '']) => !other.includes(name)));
}

/** Runs a command on the database. @returns its JSON document */
async function command<T>({ url }: DatabaseAddress, ...args: readonly string[]): Promise<T> {
  const child = Bun.spawn([BINARY, ...args, '--json'], {
    env: { POSTERN_DATABASE_URL: url, POSTERN_DNS_CHECK: 'off' },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0) throw new Error(`postern ${args.join(' ')}: ${errors}`);
  return JSON.parse(output) as T;
}

async function addProperty(address: DatabaseAddress): Promise<Keys> {
  await command(address, 'users', 'create', '--email', EMAIL);
  const organization = await command<{ id: string }>(
    address,
    ...['orgs', 'create', '--user', EMAIL, '--name', 'Org'],
  );
  const draft = ['--name', 'Shop', '--domain', 'example.com', '--level', '1', '--growth', 'constant'];
  const { sitekey } = await command<{ sitekey: string }>(
    address,
    ...['properties', 'create', '--org', organization.id, ...draft],
  );
  const { key } = await command<{ key: string }>(
    address,
    ...['keys', 'create', '--user', EMAIL, '--name', 'Backend', '--scope', 'verify'],
  );
  return { sitekey, key };
}

/** @param more settings of the nodes */
export async function startExampleCluster(
  more: Readonly<Record<string, string>> = {},
): Promise<ExampleCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-cluster-'));
  const primary = await startPostgres({ settings: exampleSettings() });
  const standby = await startPostgres({ standbyOf: primary, settings: exampleSettings() });
  await replicateSynchronously(primary, standby);
  const database = await primary.createDatabase();
  const ports = [await freePort(), await freePort()] as const;
  const proxy = await startClusterHaproxy(folder, ports);
  const url = `http://127.0.0.1:${proxy.httpPort}`;
  const settings = {
    // Both servers, of which one accepts writes.
    POSTERN_DATABASE_URL: database.url.replace(
      `:${primary.port}/`,
      `:${primary.port},127.0.0.1:${standby.port}/`,
    ),
    POSTERN_DATA_DIR: join(folder, 'data'),
    POSTERN_BASE_URL: url,
    POSTERN_TRUSTED_PROXIES: '127.0.0.1',
    POSTERN_ADMIN_EMAIL: ADMIN.email,
    POSTERN_ADMIN_PASSWORD: ADMIN.password,
    ...HIGH_LIMITS,
    ...more,
  };
  const startNode = (port: number, own: Readonly<Record<string, string>> = {}) =>
    startBinary(BINARY, { ...settings, POSTERN_PORT: String(port), ...own });
  const nodes = await Promise.all([startNode(ports[0]), startNode(ports[1])]);
  // The nodes may be ready before HAProxy has checked them.
  await waitUntil('HAProxy uses a node', async () => (await fetch(`${url}/readyz`)).ok);
  return {
    primary,
    standby,
    proxy,
    url,
    settings,
    nodes,
    startNode,
    keys: await addProperty(database),
    async stop() {
      await proxy.stop();
      await killLeftovers();
      await standby.remove();
      await primary.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Verifies a solution as docs/how-to/verify-on-your-backend.md advises, with an idempotency key. @returns `accepted` or the problem */
export async function verifyWithRetry(url: string, { sitekey, key }: Keys, payload: string): Promise<string> {
  const body = JSON.stringify({
    secret: key,
    sitekey,
    response: payload,
    idempotency_key: crypto.randomUUID(),
  });
  const attempt = () =>
    fetch(`${url}/turnstile/v0/siteverify`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
      signal: AbortSignal.timeout(5000),
    });
  let response = await attempt().catch(() => undefined);
  if (response === undefined || response.status === 429 || response.status >= 500) {
    await Bun.sleep(1000);
    response = await attempt();
  }
  const answer = (await response.json()) as { success: boolean; 'error-codes': readonly string[] };
  return answer.success ? 'accepted' : `${response.status} ${answer['error-codes']}`;
}
