import { afterEach, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SQL } from 'bun';
import {
  type PostgresOptions,
  type PostgresServer,
  replicateSynchronously,
  startPostgres,
} from './postgres.ts';
import { emptyDatabase } from './sharedPostgres.ts';
import { waitUntil } from './waitUntil.ts';

const cleanUps: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

async function start(options?: PostgresOptions): Promise<PostgresServer> {
  const server = await startPostgres(options);
  cleanUps.push(server.remove);
  return server;
}

function connect(...[url, options]: [url: string, options?: SQL.PostgresOrMySQLOptions]): SQL {
  const sql = new SQL(url, { max: 1, ...options });
  cleanUps.push(() => sql.close());
  return sql;
}

test('a new database is empty and uses UTF-8 and the locale C, and its owner has no other privileges', async () => {
  const sql = connect((await emptyDatabase()).url);
  const facts = await sql`SELECT
    pg_encoding_to_char(encoding) AS encoding, datcollate AS locale, rolsuper OR rolcreatedb OR rolcreaterole AS more,
    (SELECT count(*)::int FROM pg_tables WHERE schemaname = 'public') AS tables
    FROM pg_database JOIN pg_roles ON pg_roles.oid = datdba
    WHERE datname = current_database() AND rolname = current_user`;
  expect([...facts]).toEqual([{ encoding: 'UTF8', locale: 'C', more: false, tables: 0 }]);
});

test('a killed server keeps its commits and its port', async () => {
  const server = await start();
  const { url } = await server.createDatabase();
  await connect(url).unsafe('CREATE TABLE marks (id int); INSERT INTO marks VALUES (1)');
  await server.kill();
  await server.start();
  expect([...(await connect(url)`SELECT id FROM marks`)]).toEqual([{ id: 1 }]);
});

test('a standby that replicates synchronously has every commit of a killed primary', async () => {
  const primary = await start();
  const standby = await start({ standbyOf: primary });
  await replicateSynchronously(primary, standby);
  const { name, url } = await primary.createDatabase();
  await connect(url).unsafe('CREATE TABLE marks (id int); INSERT INTO marks VALUES (1)');
  await primary.kill();
  await standby.promote();
  const sql = connect(standby.addressOf(name).url);
  await sql`INSERT INTO marks VALUES (2)`;
  expect([...(await sql`SELECT id FROM marks ORDER BY id`)]).toEqual([{ id: 1 }, { id: 2 }]);
});

test('a server with a certificate rejects connections without TLS', async () => {
  const server = await start({ certificateFor: 'DNS:localhost' });
  const { url } = await server.createDatabase();
  const encrypted = connect(`${url.replace('127.0.0.1', 'localhost')}?sslmode=verify-full`, {
    tls: { ca: Bun.file(server.certificateFile) },
  });
  expect([...(await encrypted`SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`)]).toEqual([
    { ssl: true },
  ]);
  const error = await connect(`${url}?sslmode=disable`)`SELECT 1`.catch((reason: unknown) => reason);
  expect(String(error)).toContain('no pg_hba.conf entry');
});

test('a server ends and its folder is removed when the process that started it is killed', async () => {
  const program = `import { startPostgres } from '${join(import.meta.dir, 'postgres.ts')}';
    const { folder, port } = await startPostgres();
    console.log(JSON.stringify({ folder, port }));
    setInterval(() => {}, 1000);`;
  const child = Bun.spawn([process.execPath, '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const { value } = await child.stdout.getReader().read();
  const { folder, port } = JSON.parse(new TextDecoder().decode(value));
  expect(existsSync(join(folder, 'data', 'postmaster.pid'))).toBe(true);
  child.kill('SIGKILL');
  await waitUntil('the folder is removed', () => !existsSync(folder));
  const error = await fetch(`http://127.0.0.1:${port}`).catch((reason: unknown) => reason);
  expect(error).toHaveProperty('code', 'ECONNREFUSED');
});
