import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SQL } from 'bun';
import { textOf } from '../architecture/tree.ts';
import { createCommandLine } from '../cli/commandLine.ts';
import { freePort } from '../support/binary.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { createFolder, createProcess } from '../support/postgresProcess.ts';
import { waitUntil } from '../support/waitUntil.ts';

/** Runs the statements and commands of docs/how-to/cluster.md on two PostgreSQL servers that require TLS. */

setDefaultTimeout(300_000);

const text = await textOf('docs/how-to/cluster.md');

/** @returns the code blocks of a section in one language */
function blocksIn(heading: string, language: 'sh' | 'sql'): readonly string[] {
  const [, section = ''] = text.split(new RegExp(`^#+ ${heading}$`, 'm'));
  const [body = ''] = section.split(/^#+ /m);
  const blocks = body.matchAll(new RegExp(`^( *)\`\`\`${language}\n(.*?)^ *\`\`\`$`, 'gms'));
  return [...blocks].map(([, indent, code = '']) => code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''));
}

const passwordIn = (statements = '') => /PASSWORD '([^']+)'/.exec(statements)?.[1] ?? '';

const [createDatabase = ''] = blocksIn('Create the database', 'sql');
const [createReplicator = '', makeSynchronous = ''] = blocksIn('Create a standby', 'sql');
const [copyPrimary = ''] = blocksIn('Create a standby', 'sh');
const [dump = '', restore = ''] = blocksIn('Back up', 'sh');

const cli = createCommandLine();
/** The machine of the standby, which is also that of the administrator. */
const machine = createFolder();
let primary: PostgresServer;
/** The settings of a node on the primary. */
let settings: Readonly<Record<string, string>>;

/** Each statement is its own transaction, as in `psql`. */
async function runStatements(server: Pick<SQL, 'unsafe'>, statements: string): Promise<void> {
  for (const statement of statements.split(';')) {
    if (statement.trim() !== '') await server.unsafe(statement);
  }
}

/** Runs a script on the machine, with its own folders, and with an address and a port of the host db1.internal. */
function runScript(script: string, env: Readonly<Record<string, string>> = {}): Promise<void> {
  const here = script
    .replaceAll('/var/lib/postgresql/data', machine.data)
    .replaceAll('/etc/postgresql', machine.path);
  const remote = { PGHOSTADDR: '127.0.0.1', PGPORT: String(primary.port) };
  return machine.run('/bin/sh', ['-euc', here], { ...remote, ...env });
}

beforeAll(async () => {
  primary = await startPostgres({ certificateFor: 'DNS:db1.internal,IP:127.0.0.1' });
  await primary.admin`DROP ROLE postern`;
  const access = await textOf('deploy/cluster/pg_hba.conf');
  // Only the socket needs a password here, because the user of the system has another name.
  const rules = access.replace(/^local .*/m, 'local all all scram-sha-256');
  await Bun.write(join(primary.folder, 'data/pg_hba.conf'), rules);
  await runStatements(primary.admin, `${createDatabase} SELECT pg_reload_conf()`);
  const password = passwordIn(createDatabase);
  machine.write('database-ca.pem', readFileSync(primary.certificateFile, 'utf8'));
  machine.write('replication-pgpass', `*:*:*:replicator:${passwordIn(createReplicator)}\n`);
  machine.write('pgpass', `*:*:*:postgres:${primary.password}\n*:*:*:postern:${password}\n`);
  settings = {
    POSTERN_DATABASE_URL: `postgres://postern:${encodeURIComponent(password)}@127.0.0.1:${primary.port}/postern?sslmode=verify-full`,
    POSTERN_DATABASE_CA: primary.certificateFile,
  };
  expect(await cli.run('migrate', { settings })).toMatchObject({ code: 0, err: '' });
});

afterAll(async () => {
  await primary?.remove();
  await machine.remove();
  await cli.remove();
});

test('a dump that the guide restores contains all data', async () => {
  const create = 'users create --email ann@example.com --password-stdin';
  const created = await cli.run(create, { settings, stdin: 'correct horse battery' });
  expect(created).toMatchObject({ code: 0 });
  const asOwner = { PGPASSFILE: join(machine.path, 'pgpass') };
  const onPrimary = { ...asOwner, PGHOSTADDR: '', PGHOST: primary.folder };
  await runScript(dump, asOwner);
  const [createEmpty = '', fill = ''] = restore.split(/^(?=pg_restore)/m);
  await runScript(createEmpty, onPrimary);
  await runScript(fill, asOwner);
  const { out } = await cli.run('users list --json', { settings });
  expect(JSON.parse(out)).toMatchObject([{ email: 'ann@example.com' }]);
  expect((await cli.run('users sign-out --everyone', { settings })).code).toBe(0);
});

test('the guide creates a standby that follows over TLS, and does not wait for another standby after a promotion', async () => {
  await runStatements(primary.admin, createReplicator);
  // The name of an earlier standby, which the copy contains.
  await primary.configure({ synchronous_standby_names: 'earlier' });
  await runScript(copyPrimary);
  const copied = readFileSync(join(machine.data, 'postgresql.auto.conf'), 'utf8');
  expect(copied).toContain("sslmode=''verify-full''");
  expect(copied).not.toContain('synchronous_standby_names');
  // Both servers are on one machine.
  const port = await freePort();
  const configuration = readFileSync(join(machine.data, 'postgresql.conf'), 'utf8');
  const place = `port = ${port}\nunix_socket_directories = '${machine.path}'\n`;
  machine.write('data/postgresql.conf', `${configuration}${place}`);
  const main = createProcess(machine);
  await main.start();
  const path = join(machine.path, `.s.PGSQL.${port}`);
  const { password } = primary;
  const standby = new SQL({
    adapter: 'postgres',
    path,
    username: 'postgres',
    password,
    database: 'postgres',
  });
  try {
    await runStatements(primary.admin, makeSynchronous);
    await waitUntil('commits wait for the standby', async () => {
      const rows = await primary.admin`SELECT application_name, sync_state, ssl
        FROM pg_stat_replication JOIN pg_stat_ssl USING (pid)`;
      return Bun.deepEquals([...rows], [{ application_name: 'standby1', sync_state: 'sync', ssl: true }]);
    });
    const { out } = await cli.run('doctor --json', { settings });
    const standbys = JSON.parse(out).checks.find(({ name }: { name: string }) => name === 'standbys');
    expect(standbys).toMatchObject({
      ok: true,
      detail: expect.stringMatching(/^commits wait for standby1;/),
    });
    await primary.stop();
    await standby`SELECT pg_promote()`;
    // With the copied setting, this would wait forever.
    await standby`CREATE TABLE written ()`;
    expect([...(await standby`SELECT pg_is_in_recovery() AS follows`)]).toEqual([{ follows: false }]);
  } finally {
    await standby.close();
    await main.stop();
  }
});
