import { expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { reasonOf } from '../../src/lib/log.ts';
import { openConnection } from '../../src/storage/sqlite/connection.ts';
import { createStoreDatabase } from '../../src/storage/sqlite/executor.ts';
import { withSeeds } from '../support/randomScheduler.ts';
import { createVirtualTime } from '../support/virtualTime.ts';

const add = (number: number) => sql`INSERT INTO things VALUES (${number})`;

function open(timer?: Parameters<typeof createStoreDatabase>[1]) {
  const raw = openConnection(':memory:');
  raw.run('CREATE TABLE things (number INTEGER)');
  const numbers = () =>
    raw
      .query<{ number: number }, []>('SELECT number FROM things')
      .all()
      .map((row) => row.number);
  return { raw, numbers, database: createStoreDatabase(raw, timer) };
}

test('transactions on one connection do not mix, in every order of pauses and failures', async () => {
  await withSeeds(200, async ({ run, time, holdOrFail, mustSettle, random }) => {
    const { raw, numbers, database } = open(time.timer);
    const stored: number[] = [];
    const faults: string[] = [];
    const note =
      (...added: number[]) =>
      () =>
        void stored.push(...added);
    const pair = (number: number) =>
      database.transact(async (tx) => {
        await tx.execute(add(number));
        await holdOrFail();
        await tx.execute(add(-number));
      });
    const partly = (number: number) =>
      database.transact(async (tx) => {
        await tx.execute(add(number));
        await tx
          .savepoint(async (inner) => {
            await inner.execute(add(number));
            throw new Error('only the savepoint is undone');
          })
          .catch(() => {});
      });
    const sees = (number: number) =>
      database.snapshot(async (tx) => {
        const count = async () => (await tx.execute(sql`SELECT number FROM things`)).length;
        const before = await count();
        await holdOrFail();
        expect([number, await count()]).toEqual([number, before]);
      });
    function start(number: number): void {
      const kind = random(4);
      const works = [
        () => pair(number).then(note(number, -number)),
        () => partly(number).then(note(number)),
        () => Promise.resolve(database.orm.execute(add(number))).then(note(number)),
        () => sees(number),
      ];
      void mustSettle(`${kind} ${number}`, (works[kind] as () => Promise<void>)()).catch((error) => {
        // The failures that the scheduler chooses are not faults.
        if (!/scheduler|have waited/.test(reasonOf(error))) faults.push(reasonOf(error));
      });
    }
    await run(Array.from({ length: 25 }, (_, index) => () => start(index + 1)));
    expect(faults).toEqual([]);
    expect(numbers().toSorted()).toEqual(stored.toSorted());
    expect(raw.inTransaction).toBe(false);
    raw.close();
  });
});

// Otherwise, the writer thread would never answer again.
test('a statement that waits for its own transaction fails after five seconds', async () => {
  const time = createVirtualTime();
  const { raw, numbers, database } = open(time.timer);
  const result = database
    .transact(async (tx) => {
      await tx.execute(add(1));
      await database.orm.execute(add(2));
    })
    .then(() => 'stored', reasonOf);
  await Bun.sleep(0);
  await time.step();
  expect(await result).toContain('have waited for 5 s');
  expect(numbers()).toEqual([]);
  await database.orm.execute(add(3));
  expect(numbers()).toEqual([3]);
  raw.close();
});
