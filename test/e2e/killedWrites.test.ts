import { Database } from 'bun:sqlite';
import { describe, expect } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { MIGRATIONS, migrate, versionOf } from '../../src/storage/sqlite/migrate.ts';
import { type RunningBinary, startBinary } from '../support/binary.ts';
import { readStoredClaims } from '../support/storedClaims.ts';
import { fetchAndSolve } from '../support/visitor.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { addProperty, BINARY, HIGH_LIMITS, testInFolder } from './support.ts';

const ROUNDS = Number(process.env.KILL_ROUNDS ?? 6);
const WRITER = join(import.meta.dir, '../support/managementWriter.ts');
/** The number of groups in managementWriter.ts that acknowledge at least one change. */
const TABLES = 15;

/** Queries that find an acknowledged change. */
const FIND: Readonly<Record<string, string>> = {
  accounts: 'SELECT 1 FROM accounts WHERE id = ?',
  'disabled accounts': 'SELECT 1 FROM accounts WHERE id = ? AND disabled_at IS NOT NULL',
  organizations: 'SELECT 1 FROM organizations WHERE id = ?',
  'deleted organizations': 'SELECT 1 FROM organizations WHERE id = ? AND deleted_at IS NOT NULL',
  properties: 'SELECT 1 FROM properties WHERE id = ?',
  'disabled properties': 'SELECT 1 FROM properties WHERE id = ? AND NOT is_enabled',
  api_keys: 'SELECT 1 FROM api_keys WHERE id = ?',
  'revoked api_keys': 'SELECT 1 FROM api_keys WHERE id = ? AND revoked_at IS NOT NULL',
  plans: 'SELECT 1 FROM plans WHERE name = ?',
  tasks: 'SELECT 1 FROM tasks WHERE id = ?',
  // The least recently used sessions of a user end.
  sessions: "SELECT 1 FROM sqlite_sequence WHERE name = 'sessions' AND seq >= ?",
  statistics_hourly: 'SELECT 1 FROM statistics_hourly WHERE hour = ?',
  signing_keys: 'SELECT 1 FROM signing_keys WHERE lower(hex(fingerprint)) = ?',
  audit: "SELECT 1 FROM audit WHERE action = 'data-exported' AND subject = ?",
};

/** Changes and their audit log entries, as two numbers that must be equal. Sequences count inserted rows, even if they are gone. */
const AUDITED: Readonly<Record<string, string>> = {
  'user-created': "SELECT seq FROM sqlite_sequence WHERE name = 'accounts'",
  'user-disabled': 'SELECT count(*) FROM accounts WHERE disabled_at IS NOT NULL',
  'organization-created': "SELECT seq FROM sqlite_sequence WHERE name = 'organizations'",
  'organization-deleted': 'SELECT count(*) FROM organizations WHERE deleted_at IS NOT NULL',
  'property-created': "SELECT seq FROM sqlite_sequence WHERE name = 'properties'",
  'property-disabled': 'SELECT count(*) FROM properties WHERE NOT is_enabled',
  'key-created': "SELECT seq FROM sqlite_sequence WHERE name = 'api_keys'",
  'key-revoked': 'SELECT count(*) FROM api_keys WHERE revoked_at IS NOT NULL',
  'plan-set': "SELECT count(*) FROM plans WHERE name LIKE 'plan-%'",
  'session-started': "SELECT seq FROM sqlite_sequence WHERE name = 'sessions'",
  'signing-key-rotated': 'SELECT count(*) FROM signing_keys',
};

/** Checks a file. By default, read-only, because closing it would otherwise remove the write-ahead log of the killed process. */
function open(dataDir: string, name: string, readonly = true): Database {
  const database = new Database(join(dataDir, name), { readonly, readwrite: !readonly });
  expect(database.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  expect(database.query('PRAGMA foreign_key_check').all()).toEqual([]);
  return database;
}

/** Runs the writer until every group has acknowledged a change, and kills it a moment later. @returns what was acknowledged */
async function writeUntilKilled(
  dataDir: string,
  run: number,
): Promise<readonly (readonly [string, unknown])[]> {
  const mode = run % 2 === 0 ? 'server' : 'command';
  const child = Bun.spawn([process.execPath, WRITER, dataDir, String(run), mode], {
    stdout: 'pipe',
    stderr: 'inherit',
  });
  let output = '';
  const reading = (async () => {
    for await (const chunk of child.stdout) output += new TextDecoder().decode(chunk);
  })();
  const lines = () => output.split('\n').slice(0, -1);
  const groups = () => new Set(lines().map((line) => (JSON.parse(line) as [string])[0]));
  await waitUntil('every group has written', () => groups().size >= TABLES || child.exitCode !== null);
  await Bun.sleep(Math.random() * 100); // a random moment, not a wait for an event
  child.kill('SIGKILL');
  await reading;
  expect(await child.exited).not.toBe(0);
  return lines().map((line) => JSON.parse(line) as [string, unknown]);
}

describe('a process that is killed while it writes management data', () => {
  testInFolder(
    `loses nothing that it acknowledged, and leaves nothing half done: ${ROUNDS} rounds`,
    async (dataDir) => {
      for (let run = 0; run < ROUNDS; run++) {
        const acknowledged = await writeUntilKilled(dataDir, run);
        expect(new Set(acknowledged.map(([table]) => table)).size).toBe(TABLES);
        const database = open(dataDir, 'postern.sqlite');
        for (const [table, value] of acknowledged) {
          if (table === 'maintenance') continue;
          const found = database.query<unknown, [string | number]>(FIND[table] ?? table).get(value as string);
          expect([table, value, found !== null]).toEqual([table, value, true]);
        }
        const numberOf = (sql: string) => database.query(sql).values()[0]?.[0];
        for (const [action, changes] of Object.entries(AUDITED)) {
          const entries = numberOf(`SELECT count(*) FROM audit WHERE action = '${action}'`);
          expect([action, entries]).toEqual([action, numberOf(changes)]);
        }
        const last = "SELECT subject FROM audit WHERE action = 'maintenance-switched' ORDER BY id DESC";
        const isOn = numberOf("SELECT hex(value) FROM installation WHERE name = 'maintenance'") === '01';
        expect(numberOf(last)).toBe(isOn ? 'on' : 'off');
        database.close();
      }
      const server = await startBinary(BINARY, { POSTERN_DATA_DIR: dataDir });
      expect(await server.end('SIGTERM')).toBe(0);
    },
    300_000,
  );
});

describe('a server that is killed while it counts requests with an idempotency key', () => {
  testInFolder('gives repeated requests the same result after its restart', async (dataDir) => {
    const property = await addProperty(dataDir);
    const settings = { POSTERN_DATA_DIR: dataDir, ...HIGH_LIMITS };
    const ask = async ({ url }: RunningBinary, response: string, key: string) => {
      const body = new URLSearchParams({ secret: property.verifyKey, response, idempotency_key: key });
      const answer = await fetch(`${url}/turnstile/v0/siteverify`, { method: 'POST', body });
      return ((await answer.json()) as { success: boolean }).success;
    };
    let accepted: (readonly [payload: string, key: string])[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const server = await startBinary(BINARY, settings);
      for (const [payload, key] of accepted) {
        expect(await ask(server, payload, key)).toBe(true);
        expect(await ask(server, payload, crypto.randomUUID())).toBe(false);
      }
      const next: (readonly [string, string])[] = [];
      const clients = Array.from({ length: 8 }, async () => {
        try {
          for (;;) {
            const [payload, key] = [await fetchAndSolve(server.url, property.sitekey), crypto.randomUUID()];
            if (await ask(server, payload, key)) next.push([payload, key]);
          }
        } catch {
          // The server was killed, so the last request has no result.
        }
      });
      await waitUntil('some are accepted', () => next.length >= 10);
      await server.kill();
      await Promise.all(clients);
      accepted = next;
      const claims = open(dataDir, 'claims.sqlite');
      const numberOf = (sql: string) => claims.query(sql).values()[0]?.[0];
      // A claim and the result of its request are one transaction.
      expect(numberOf('SELECT count(*) FROM repeats WHERE presentations = 1')).toBe(
        readStoredClaims(join(dataDir, 'claims.sqlite')).puzzles,
      );
      claims.close();
    }
  });
});

describe('a migration that is killed', () => {
  testInFolder('is complete or has not begun, and the next start completes it', async (dataDir) => {
    const newest = MIGRATIONS.length;
    for (let round = 0; round < 3 * ROUNDS; round++) {
      const folder = join(dataDir, String(round));
      const from = round % newest;
      mkdirSync(folder);
      const file = new Database(join(folder, 'postern.sqlite'), { create: true });
      if (from > 0) migrate(file, MIGRATIONS.slice(0, from));
      file.close();
      const child = Bun.spawn([BINARY, 'migrate', '--data-dir', folder], {
        stdio: ['ignore', 'ignore', 'ignore'],
      });
      await Bun.sleep(10 + Math.random() * 60); // a random moment, not a wait for an event
      child.kill('SIGKILL');
      await child.exited;
      const database = open(folder, 'postern.sqlite', false);
      migrate(database);
      expect(versionOf(database)).toBe(newest);
      expect(database.query('SELECT version FROM migrations ORDER BY version').values().flat()).toEqual(
        MIGRATIONS.map(({ version }) => version),
      );
      database.close();
    }
  });
});
