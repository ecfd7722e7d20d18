import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './binary.ts';
import type { DatabaseAddress } from './postgres.ts';
import { waitUntil } from './waitUntil.ts';

/** PgBouncer on a loopback port, in front of the server of one database. */
export type Pooler = {
  /** The URL of the database through the pooler, with the password. */
  readonly url: string;
  readonly stop: () => Promise<void>;
};

/** Starts PgBouncer. @param settings replace rows of the section `pgbouncer` of its configuration */
export async function startPgbouncer(
  { name, port: target, password }: DatabaseAddress,
  settings: Readonly<Record<string, string>>,
): Promise<Pooler> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-pgbouncer-'));
  const port = await freePort();
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: String(port),
    unix_socket_dir: '',
    auth_type: 'plain',
    auth_file: join(folder, 'users'),
    default_pool_size: '50',
    ...settings,
  };
  const rows = Object.entries(all).map(([setting, value]) => `${setting} = ${value}\n`);
  const configuration = `[databases]\n* = host=127.0.0.1 port=${target}\n[pgbouncer]\n${rows.join('')}`;
  writeFileSync(join(folder, 'pgbouncer.ini'), configuration);
  writeFileSync(join(folder, 'users'), `"postern" "${password}"\n`);
  // PgBouncer refuses to run as root.
  chmodSync(folder, 0o755);
  const user =
    process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : [];
  const child = Bun.spawn([...user, 'pgbouncer', join(folder, 'pgbouncer.ini')], {
    env: { PATH: `${process.env.PATH}:/usr/sbin` },
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  await waitUntil('PgBouncer listens', () => {
    if (child.exitCode !== null) throw new Error(`PgBouncer exited with ${child.exitCode}`);
    return canConnect(port);
  });
  return {
    url: `postgres://postern:${password}@127.0.0.1:${port}/${name}`,
    async stop() {
      child.kill('SIGTERM');
      await child.exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
