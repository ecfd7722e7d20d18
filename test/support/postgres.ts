import { join } from 'node:path';
import { SQL } from 'bun';
import { freePort } from './binary.ts';
import { createFolder, createProcess, type Folder } from './postgresProcess.ts';
import { waitUntil } from './waitUntil.ts';

/** A PostgreSQL server in a temporary folder, on a loopback port. It ends when this process ends. */
export type PostgresServer = {
  /** Remains the same after a restart. */
  readonly port: number;
  /** The name that a primary knows this server by if it is a standby. */
  readonly name: string;
  /** The password of all users. */
  readonly password: string;
  /** Contains the Unix socket, the log (`server.log`), and the data (`data`). */
  readonly folder: string;
  /** Connects as a superuser to the database `postgres`, through the Unix socket. Connects again after a restart. */
  readonly admin: SQL;
  /** Connects as a superuser to another database. */
  readonly connectAdmin: (
    database: Pick<DatabaseAddress, 'name'>,
    options?: { readonly bigint?: boolean; readonly max?: number },
  ) => SQL;
  /** The certificate, in PEM, if the server has one. It signs itself. */
  readonly certificateFile: string;
  /** Creates an empty database. Its owner is the user in the address, who has no other privileges. */
  readonly createDatabase: () => Promise<DatabaseAddress>;
  /** Copies a database that has no connections. */
  readonly copyDatabase: (template: Pick<DatabaseAddress, 'name'>) => Promise<DatabaseAddress>;
  /** Drops a database and closes its connections. */
  readonly dropDatabase: (address: Pick<DatabaseAddress, 'name'>) => Promise<void>;
  /** The address of a database on this server, for example of one that was created on the primary. */
  readonly addressOf: (name: string) => DatabaseAddress;
  /** Changes settings with `ALTER SYSTEM`. The settings that need a restart change at the next start. */
  readonly configure: (settings: Readonly<Record<string, string>>) => Promise<void>;
  /** Starts the server after `stop` or `kill`. */
  readonly start: () => Promise<void>;
  /** Closes all connections and stops the server (a fast shutdown). */
  readonly stop: () => Promise<void>;
  /** Kills all processes of the server with SIGKILL, as if the machine failed. */
  readonly kill: () => Promise<void>;
  /** Stops all processes of the server with SIGSTOP, as if the machine hung, until `thaw`. */
  readonly freeze: () => void;
  readonly thaw: () => void;
  /** Promotes a standby to the primary. */
  readonly promote: () => Promise<void>;
  /** Stops the server and removes its folder. */
  readonly remove: () => Promise<void>;
};

/** Where a database is, and the user that owns it. */
export type DatabaseAddress = {
  readonly name: string;
  /** Contains the password. */
  readonly url: string;
  /** Does not contain the password. */
  readonly publicUrl: string;
  readonly port: number;
  readonly password: string;
  readonly passwordFile: string;
};

export type PostgresOptions = {
  /** Whether commits survive a power failure; by default they survive only killed processes, which is faster. */
  readonly isDurable?: boolean;
  /** Replaces rows of `postgresql.conf`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The subject of a new certificate, such as `DNS:localhost,IP:127.0.0.1`. The server then rejects TCP connections without TLS. */
  readonly certificateFor?: string;
  /** The primary that this server copies and follows until it is promoted. Needs the same `settings`. */
  readonly standbyOf?: PostgresServer;
};

/** The owner of the databases. */
const USER = 'postern';

const quoted = (value: string) => `'${value.replaceAll("'", "''")}'`;

const rowsOf = (settings: Readonly<Record<string, string>>) =>
  Object.entries(settings)
    .map(([name, value]) => `${name} = ${quoted(value)}\n`)
    .join('');

const FAST = { fsync: 'off', full_page_writes: 'off', autovacuum: 'off', max_wal_size: '128MB' };

function settingsOf(
  folder: Folder,
  port: number,
  { isDurable, settings, certificateFor }: PostgresOptions,
): string {
  return rowsOf({
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: folder.path,
    timezone: 'UTC',
    log_timezone: 'UTC',
    max_connections: '200',
    shared_buffers: '64MB',
    // A killed server leaves nothing in /dev/shm.
    dynamic_shared_memory_type: 'mmap',
    ...(isDurable ? {} : FAST),
    ...(certificateFor && { ssl: 'on', ssl_cert_file: 'server.crt', ssl_key_file: 'server.key' }),
    ...settings,
  });
}

function accessRules({ certificateFor }: PostgresOptions): string {
  const rules = ['local all', 'local replication', `${certificateFor ? 'hostssl' : 'host'} all`];
  const allowed = (rule: string) =>
    `${rule} all ${rule.startsWith('host') ? '127.0.0.1/32 ' : ''}scram-sha-256\n`;
  return rules.map(allowed).join('');
}

/** Creates the data of a primary. */
async function initialize(folder: Folder): Promise<void> {
  const access = ['--username=postgres', `--pwfile=${join(folder.path, 'password')}`, '--auth=scram-sha-256'];
  const speed = ['--no-sync', '--no-instructions'];
  await folder.run('initdb', ['-D', folder.data, ...access, '--encoding=UTF8', '--locale=C', ...speed]);
}

/** Copies the data of a primary and follows it. @param name the name of the standby in `synchronous_standby_names` */
async function follow(folder: Folder, primary: PostgresServer, name: string): Promise<void> {
  const words = ['-D', folder.data, '-h', primary.folder, '-p', String(primary.port), '-U', 'postgres'];
  const env = { PGPASSWORD: primary.password };
  await folder.run('pg_basebackup', [...words, '--checkpoint=fast', '--no-sync'], env);
  const connection = `host=${primary.folder} port=${primary.port} user=postgres password=${primary.password}`;
  // Replaces the settings that the primary changed with ALTER SYSTEM.
  const settings = { primary_conninfo: `${connection} application_name=${name}` };
  folder.write('data/postgresql.auto.conf', rowsOf(settings));
  folder.write('data/standby.signal', '');
}

function createCertificate(folder: Folder, subject: string): void {
  const [key, certificate] = ['data/server.key', 'data/server.crt'];
  folder.write(key, '');
  folder.write(certificate, '');
  const files = ['-keyout', join(folder.path, key), '-out', join(folder.path, certificate)];
  const name = ['-subj', '/CN=PostgreSQL', '-addext', `subjectAltName=${subject}`];
  const algorithm = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  const words = ['req', '-x509', ...algorithm, '-nodes', '-days', '2', ...files, ...name];
  const { exitCode, stderr } = Bun.spawnSync(['openssl', ...words]);
  if (exitCode !== 0) throw new Error(`openssl failed: ${stderr}`);
}

/** Starts a PostgreSQL server, which takes about two seconds. @see sharedPostgres for tests that share a server */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const { standbyOf, certificateFor } = options;
  const folder = createFolder();
  const port = await freePort();
  const name = `standby${port}`;
  const password = standbyOf?.password ?? crypto.randomUUID();
  folder.write('password', password);
  if (standbyOf) await follow(folder, standbyOf, name);
  else await initialize(folder);
  folder.write('data/postgresql.conf', settingsOf(folder, port, options));
  folder.write('data/pg_hba.conf', accessRules(options));
  if (certificateFor !== undefined) createCertificate(folder, certificateFor);
  const main = createProcess(folder);
  await main.start();
  const path = join(folder.path, `.s.PGSQL.${port}`);
  const superuser = { adapter: 'postgres', path, username: 'postgres', password, max: 1 } as const;
  const admin = new SQL({ ...superuser, database: 'postgres' });
  if (!standbyOf) await admin.unsafe(`CREATE ROLE ${USER} LOGIN PASSWORD ${quoted(password)}`);
  return {
    port,
    name,
    password,
    folder: folder.path,
    certificateFile: join(folder.data, 'server.crt'),
    admin,
    connectAdmin: ({ name: database }, more) => new SQL({ ...superuser, database, ...more }),
    ...databasesOf(admin, { port, password, passwordFile: join(folder.path, 'password') }),
    ...main,
    configure: (settings) => configure(admin, settings),
    async promote() {
      await admin.unsafe('SELECT pg_promote()');
    },
    async remove() {
      await admin.close();
      await main.stop();
      await folder.remove();
    },
  };
}

function databasesOf(
  admin: SQL,
  { port, password, passwordFile }: Pick<DatabaseAddress, 'port' | 'password' | 'passwordFile'>,
): Pick<PostgresServer, 'createDatabase' | 'copyDatabase' | 'dropDatabase' | 'addressOf'> {
  let databases = 0;
  const addressOf = (name: string): DatabaseAddress => {
    const place = `127.0.0.1:${port}/${name}`;
    const url = `postgres://${USER}:${password}@${place}`;
    return { name, url, publicUrl: `postgres://${USER}@${place}`, port, password, passwordFile };
  };
  async function create(template: string): Promise<DatabaseAddress> {
    const name = `test${++databases}`;
    // Faster than the default strategy: 22 ms instead of 37.
    await admin.unsafe(`CREATE DATABASE ${name} OWNER ${USER} TEMPLATE ${template} STRATEGY file_copy`);
    return addressOf(name);
  }
  return {
    addressOf,
    createDatabase: () => create('template0'),
    copyDatabase: ({ name }) => create(name),
    async dropDatabase({ name }) {
      await admin.unsafe(`DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

async function configure(admin: SQL, settings: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, value] of Object.entries(settings))
    await admin.unsafe(`ALTER SYSTEM SET ${name} = ${quoted(value)}`);
  await admin.unsafe('SELECT pg_reload_conf()');
}

/** Makes commits wait for a standby that does not exist. Returns when they wait: the processes of a server read a setting at different times. */
export async function makeCommitsWait(server: PostgresServer, standby = 'gone'): Promise<void> {
  await server.configure({ synchronous_standby_names: standby });
  const connection = server.connectAdmin({ name: 'postgres' }, { max: 1 });
  const [{ pid }] = await connection`SELECT pg_backend_pid() AS pid`;
  const waits = () =>
    server.admin`SELECT FROM pg_stat_activity WHERE pid = ${pid} AND wait_event = 'SyncRep'`;
  await waitUntil('commits wait for the standby', async () => {
    let hasEnded = false;
    const written = connection`SELECT pg_logical_emit_message(true, '', '')`.then(() => {
      hasEnded = true;
    });
    await waitUntil('the commit ends or waits', async () => hasEnded || (await waits()).length > 0);
    if (hasEnded) return false;
    await server.admin`SELECT pg_cancel_backend(${pid})`;
    await written;
    return true;
  });
  await connection.close();
}

/** Makes commits on the primary wait until the standby has flushed them, and waits until this is the case. */
export async function replicateSynchronously(
  primary: PostgresServer,
  standby: PostgresServer,
): Promise<void> {
  await primary.configure({ synchronous_standby_names: standby.name });
  await waitUntil('the standby is synchronous', async () => {
    const rows =
      await primary.admin`SELECT sync_state FROM pg_stat_replication WHERE application_name = ${standby.name}`;
    return rows[0]?.sync_state === 'sync';
  });
}
