import { describe, expect, test } from 'bun:test';
import { reasonOf } from '../../../src/lib/log.ts';
import type { Instant } from '../../../src/lib/time.ts';
import type { AccountId } from '../../../src/model/account.ts';
import type { Claim, ReplayLedger } from '../../../src/model/ports/replayLedger.ts';
import { connect } from '../../../src/storage/postgres/connect.ts';
import { createPostgresStores } from '../../../src/storage/postgres/createStores.ts';
import { sharedPostgres } from '../../support/sharedPostgres.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { createLedgerDatabase, locationOf, opener } from './ledgers.ts';

const EVERYTHING = 2 ** 32 - 1;

const claimOf = (number: number, expiresAtSeconds = 1000, keyFingerprint = 1): Claim => ({
  puzzleId: Uint8Array.of(number, number >> 8, number >> 16, 0, 0, 0, 0, 0xff),
  expiresAtSeconds,
  keyFingerprint,
});
const many = <T>(length: number, make: (index: number) => T) =>
  Array.from({ length }, (_, index) => make(index));
const shuffled = <T>(values: readonly T[]) =>
  values
    .map((value) => [Math.random(), value] as const)
    .sort(([a], [b]) => a - b)
    .map(([, value]) => value);

/** Opens ledgers on a new database. Each one corresponds to a node. */
async function openNodes(count: number) {
  const database = await createLedgerDatabase(await sharedPostgres());
  const nodes = await Promise.all(many(count, () => database.open()));
  const nodeOf = (index: number) => nodes[index % count] as ReplayLedger;
  return { ...database, nodeOf, close: () => Promise.all(nodes.map((node) => node.close())) };
}

/** Runs SQL as the owner of the database. */
async function execute<T>(url: string, sql: string): Promise<T[]> {
  const { sql: connection, close } = await opener(url, 'full')();
  const rows = await connection.unsafe(sql);
  close();
  return rows;
}

describe('several nodes', () => {
  test('count every presentation of a puzzle once', async () => {
    const { nodeOf, close } = await openNodes(3);
    const puzzles = many(300, (number) => claimOf(number, 1000 + (number % 7)));
    const presentations = shuffled(many(6, () => puzzles).flat());
    const numbers = await Promise.all(
      presentations.map(async (claim, i) => [claim, await nodeOf(i).claim(claim)] as const),
    );
    for (const puzzle of puzzles) {
      const own = numbers.filter(([claim]) => claim === puzzle).map(([, number]) => number);
      expect(own.sort()).toEqual([1, 2, 3, 4, 5, 6]);
    }
    await close();
  });

  test('never accept a puzzle again while a node whose clock is fast purges it', async () => {
    const { nodeOf, close } = await openNodes(3);
    const puzzles = many(1000, (number) => claimOf(number, 1000 + (number % 10)));
    expect(new Set(await Promise.all(puzzles.map(nodeOf(0).claim)))).toEqual(new Set([1]));
    let isPurged = false;
    const numbers: number[] = [];
    const presentAgain = async (node: ReplayLedger) => {
      do {
        const again = shuffled(puzzles).slice(0, 100).map(node.claim);
        numbers.push(...(await Promise.all(again)));
        await Bun.sleep(1); // Known purges are answered without I/O.
      } while (!isPurged);
    };
    const nodes = [presentAgain(nodeOf(1)), presentAgain(nodeOf(2))];
    await waitUntil('the presentations overlap the purge', () => numbers.some((number) => number > 1));
    for (let time = 1000; time <= 1010; time += 5) while ((await nodeOf(0).purge(time, [1])) > 0);
    isPurged = true;
    await Promise.all(nodes);
    expect(numbers).not.toContain(1);
    expect(numbers).toContain(0);
    await close();
  });

  test('purge claims of a key that the purging node does not know yet, and remember the purge', async () => {
    const { nodeOf, close, address } = await openNodes(2);
    await nodeOf(0).claim(claimOf(1, 50, 0xfedcba98));
    await execute(
      address.url,
      `INSERT INTO signing_keys (fingerprint, secret, created_at) VALUES ('\\x98badcfe', '\\x00', 0)`,
    );
    await nodeOf(1).purge(100, [7]);
    expect(await nodeOf(0).claim(claimOf(1, 50, 0xfedcba98))).toBe(0);
    await nodeOf(1).purge(90, []);
    expect(await nodeOf(0).purgedBefore(0xfedcba98)).toBe(100);
    expect(await nodeOf(0).purgedBefore(7)).toBe(0);
    await close();
  });

  test('purge each row once if they purge at the same time', async () => {
    const { nodeOf, close } = await openNodes(2);
    await Promise.all(many(12_000, (number) => nodeOf(number).claim(claimOf(number))));
    const purge = async (node: ReplayLedger) => {
      let total = 0;
      for (let rows = -1; rows !== 0; total += rows) rows = await node.purge(2000, [1]);
      return total;
    };
    const [one = 0, other = 0] = await Promise.all([purge(nodeOf(0)), purge(nodeOf(1))]);
    expect(one + other).toBe(12_000);
    await close();
  });

  test('reject claims that the database did not store', async () => {
    const { nodeOf, close, address } = await openNodes(1);
    await execute(
      address.url,
      `CREATE FUNCTION skip() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`,
    );
    await execute(
      address.url,
      'CREATE TRIGGER skip BEFORE INSERT ON claims FOR EACH ROW EXECUTE FUNCTION skip()',
    );
    expect(await nodeOf(0).claim(claimOf(1)).catch(reasonOf)).toContain('stored 0 of 1 claims');
    await close();
  });
});

describe('claims beside requests that may be repeated', () => {
  // Plain claims that arrived while such requests held all connections waited until a restart.
  test('are stored, and so are later ones', async () => {
    const { nodeOf, close } = await openNodes(1);
    const ledger = nodeOf(0);
    for (let round = 0; round < 20; round++) {
      const repeatable = many(8 + (round % 5), (i) => {
        const hash = new Uint8Array(32).fill(round).fill(i, 16);
        return ledger.claimOnce(claimOf(round * 100 + i), 1, {
          hash,
          nowSeconds: 1000,
          userId: 1 as AccountId,
        });
      });
      const plain = many(1 + (round % 3), (i) => ledger.claim(claimOf(round * 100 + 50 + i)));
      expect(new Set(await Promise.all([...repeatable, ...plain]))).toEqual(new Set([1]));
    }
    await close();
  });
});

describe('the durability', () => {
  test.each([
    ['full', 'off', 'on'],
    ['full', 'local', 'on'],
    ['full', 'remote_write', 'on'],
    ['full', 'on', 'on'],
    ['full', 'remote_apply', 'remote_apply'],
    ['normal', 'on', 'off'],
  ] as const)('%s with synchronous_commit = %s uses %s', async (durability, setting, expected) => {
    const server = await sharedPostgres();
    const { name, url } = await server.createDatabase();
    await server.admin.unsafe(`ALTER DATABASE ${name} SET synchronous_commit = ${setting}`);
    const { sql, close } = await opener(url, durability)();
    const [row] = await sql`SHOW synchronous_commit`;
    expect(row.synchronous_commit).toBe(expected);
    close();
  });
});

describe('a restored database', () => {
  test('is recognized until all earlier puzzles are rejected and a new key is stored, which happens once', async () => {
    const server = await sharedPostgres();
    const { address, open } = await createLedgerDatabase(server);
    for (let i = 0; i < 2; i++) {
      const ledger = await open();
      expect(ledger.hasLostClaims()).toBe(false);
      await ledger.claim(claimOf(1));
      await ledger.close();
    }
    const copy = await server.copyDatabase(address);
    const nodes = await Promise.all([open({ url: copy.url }), open({ url: copy.url })]);
    expect(nodes.map((node) => node.hasLostClaims())).toEqual([true, true]);
    await nodes[0]?.purge(500, [1]);
    const stillLost = await open({ url: copy.url });
    expect(stillLost.hasLostClaims()).toBe(true);
    await stillLost.purge(EVERYTHING, [1]);
    expect(await stillLost.claim(claimOf(1))).toBe(0);

    const database = connect(locationOf(copy.url), { max: 2 });
    const { signingKeys } = createPostgresStores(database, { organizations: 1, properties: 1 });
    const add = (number: number) => {
      const [fingerprint, secret] = [Uint8Array.of(number, 0, 0, 0), new Uint8Array(32)];
      return signingKeys.addAfterLoss({ fingerprint, secret, createdAt: 0 as Instant });
    };
    expect((await Promise.all([add(2), add(3)])).toSorted()).toEqual([false, true]);
    const [key, ...others] = await signingKeys.list();
    expect(others).toEqual([]);
    const keyFingerprint = key?.fingerprint[0] ?? 0;
    // The other node rejects the puzzles of all keys that it finds.
    await nodes[1]?.purge(EVERYTHING, [1, keyFingerprint]);
    expect(await stillLost.claim(claimOf(2, 1000, keyFingerprint))).toBe(1);
    expect(await stillLost.claim(claimOf(1))).toBe(0);
    const after = await open({ url: copy.url });
    expect(after.hasLostClaims()).toBe(false);
    for (const ledger of [...nodes, stillLost, after]) await ledger.close();
    await database.close();
  });

  test('is recognized if the table of claims was created again', async () => {
    const { address, open } = await createLedgerDatabase(await sharedPostgres());
    await execute(address.url, 'ALTER TABLE claims RENAME TO old_claims');
    await execute(address.url, 'CREATE TABLE claims (LIKE old_claims INCLUDING ALL)');
    const ledger = await open();
    expect(ledger.hasLostClaims()).toBe(true);
    await ledger.close();
  });
});
