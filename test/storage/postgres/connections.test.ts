import { describe, expect, test } from 'bun:test';
import { reasonOf } from '../../../src/lib/log.ts';
import { type Connection, createConnections } from '../../../src/storage/postgres/ledger/connections.ts';
import { createVirtualTime } from '../../support/virtualTime.ts';

type Opened = Connection & { readonly number: number; isOpen: () => boolean };

/** Connections that the test opens, closes, and lets fail. */
function open({ size = 2, isManual = false } = {}) {
  const time = createVirtualTime();
  const opened: Opened[] = [];
  const closed: number[] = [];
  const waiting: (() => void)[] = [];
  const state = { failure: undefined as Error | undefined, failures: 0 };
  const connections = createConnections({
    size,
    ...time,
    onFailedToOpen: () => void state.failures++,
    async open() {
      if (isManual) await new Promise<void>((resolve) => waiting.push(resolve));
      if (state.failure !== undefined) throw state.failure;
      let isOpen = true;
      const number = opened.length;
      const connection = {
        number,
        sql: { number } as unknown as Bun.ReservedSQL,
        isOpen: () => isOpen,
        close() {
          if (isOpen) closed.push(number);
          isOpen = false;
        },
      };
      opened.push(connection);
      return connection;
    },
  });
  const run = connections.createUser();
  /** Starts work that ends when the test ends it. */
  function start(options?: Parameters<typeof run>[1], by = run) {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const started: number[] = [];
    const result = by((sql) => {
      started.push((sql as unknown as { number: number }).number);
      return promise;
    }, options);
    const ended = result.then((value) => value, reasonOf);
    return { ended, end: resolve, fail: reject, started };
  }
  return { connections, run, start, time, opened, closed, waiting, state };
}

const settle = () => new Promise(setImmediate);
const numberOf = async (sql: Bun.ReservedSQL) => (sql as unknown as { number: number }).number;

describe('a pool of connections', () => {
  test('opens a connection when work needs it, and uses the open ones first', async () => {
    const { run, opened, start, connections } = open();
    expect([opened.length, connections.busy()]).toEqual([0, 0]);
    expect(await run(numberOf)).toBe(0);
    expect(await run(numberOf)).toBe(0);
    const first = start();
    const second = start();
    await settle();
    expect([first.started, second.started, connections.busy()]).toEqual([[0], [1], 2]);
    first.end('a');
    second.end('b');
    expect([await first.ended, await second.ended]).toEqual(['a', 'b']);
    expect([opened.length, connections.busy()]).toEqual([2, 0]);
  });

  test('lets other work wait while all connections are busy', async () => {
    const { start, time } = open({ size: 1 });
    const first = start();
    const granted: string[] = [];
    const second = start({ onGranted: () => granted.push('second') });
    await time.pass(1000);
    expect([second.started, granted]).toEqual([[], []]);
    first.end('a');
    await settle();
    expect([second.started, granted]).toEqual([[0], ['second']]);
    second.end('b');
    expect(await second.ended).toBe('b');
  });

  test('closes a connection whose work failed, and opens another one for the next work', async () => {
    const { start, run, closed, connections } = open();
    const work = start();
    await settle();
    work.fail(new Error('a deadlock'));
    expect([await work.ended, closed]).toEqual(['a deadlock', [0]]);
    expect(await run(numberOf)).toBe(1);
    expect(connections.busy()).toBe(0);
  });

  test('opens another connection if one was closed in the meantime', async () => {
    const { run, opened, closed } = open();
    await run(numberOf);
    opened[0]?.close();
    expect(await run(numberOf)).toBe(1);
    expect(closed).toEqual([0]);
  });

  test('closes a connection to a server that is not the primary any more', async () => {
    const { run, opened, closed } = open();
    await run(numberOf);
    const [first] = opened;
    if (first === undefined) throw new Error('no connection');
    first.isOpen = () => false;
    expect(await run(numberOf)).toBe(1);
    expect(closed).toEqual([0]);
  });

  test('fails work whose connection was closed before the result', async () => {
    const { start, opened } = open();
    const work = start();
    await settle();
    opened[0]?.close();
    work.end('stored');
    expect(await work.ended).toBe('the connection was closed during the work');
  });

  test('ends work after five seconds, or another time limit', async () => {
    const { start, time, closed } = open();
    const [usual, shorter] = [start(), start({ timeoutMs: 1000 })];
    await time.pass(999);
    let isEnded = false;
    void shorter.ended.then(() => {
      isEnded = true;
    });
    await settle();
    expect(isEnded).toBe(false);
    await time.pass(1);
    expect(await shorter.ended).toBe('the database did not answer within 1 s');
    await time.pass(4000);
    expect(await usual.ended).toBe('the database did not answer within 5 s');
    expect(closed.toSorted()).toEqual([0, 1]);
  });

  test('does not start work that has waited for longer than its time limit', async () => {
    const { start, time } = open({ size: 1 });
    const first = start({ timeoutMs: 10_000 });
    const [second, third] = [start({ timeoutMs: 1000 }), start({ timeoutMs: 2000 })];
    await time.pass(1001);
    first.end('a');
    expect(await second.ended).toBe('the database did not answer within 1 s');
    await settle();
    expect([second.started, third.started]).toEqual([[], [0]]);
    third.end('c');
    expect(await third.ended).toBe('c');
  });

  test('closes a connection that opens after its work has ended', async () => {
    const { start, time, waiting, closed, connections, run } = open({ isManual: true });
    const work = start({ timeoutMs: 1000 });
    await time.pass(1000);
    expect(await work.ended).toContain('did not answer');
    waiting.shift()?.();
    await settle();
    expect([closed, work.started, connections.isDown()]).toEqual([[0], [], false]);
    const next = run(numberOf);
    await settle();
    waiting.shift()?.();
    expect(await next).toBe(1);
  });

  test('is down while no connection is open and the last attempt to open one failed', async () => {
    const { run, start, state, connections } = open();
    expect(connections.isDown()).toBe(false);
    state.failure = new Error('refused');
    expect(await run(numberOf).catch(reasonOf)).toBe('refused');
    expect([connections.isDown(), state.failures, connections.busy()]).toEqual([true, 1, 0]);
    state.failure = undefined;
    await run(numberOf);
    expect(connections.isDown()).toBe(false);
    const work = start();
    await settle();
    state.failure = new Error('refused');
    expect(await run(numberOf).catch(reasonOf)).toBe('refused');
    expect(connections.isDown()).toBe(false);
    work.fail(new Error('gone'));
    await work.ended;
    expect(connections.isDown()).toBe(true);
  });

  test('ends running and waiting work when it is closed', async () => {
    const { start, connections, closed, opened } = open({ size: 1 });
    const [running, waiting] = [start(), start()];
    await settle();
    connections.close();
    expect([await running.ended, await waiting.ended]).toEqual([
      'the ledger is closed',
      'the ledger is closed',
    ]);
    expect([closed, opened.length]).toEqual([[0], 1]);
    expect(await start().ended).toBe('the ledger is closed');
  });

  test('uses the connections that are open first, also after one was closed', async () => {
    const { start, run, opened } = open();
    const [first, second] = [start(), start()];
    await settle();
    first.end('a');
    await first.ended;
    second.fail(new Error('gone'));
    await second.ended;
    expect(await run(numberOf)).toBe(0);
    expect(opened).toHaveLength(2);
  });

  test('closes its idle connections when it is closed, and needs no timer for work that has ended', async () => {
    const { run, connections, closed, time } = open();
    await run(numberOf);
    expect(await time.step()).toBe(false);
    connections.close();
    expect(closed).toEqual([0]);
  });

  test('is not down if the last attempt to open a connection succeeded', async () => {
    const { run, state, connections, opened } = open();
    state.failure = new Error('refused');
    await run(numberOf).catch(() => {});
    state.failure = undefined;
    await run(numberOf);
    opened[0]?.close();
    expect(connections.isDown()).toBe(false);
  });

  test('starts work that has waited exactly as long as its time limit', async () => {
    const { start, time } = open({ size: 1 });
    const [first, second] = [start(), start({ timeoutMs: 1000 })];
    await time.pass(1000);
    first.end('a');
    await settle();
    second.end('b');
    expect(await second.ended).toBe('b');
  });

  test('has a limit for work that waits', async () => {
    const { start } = open({ size: 1 });
    const all = Array.from({ length: 1001 }, () => start());
    expect(await start().ended).toBe('too many requests are waiting for the database');
    expect(all).toHaveLength(1001);
  });

  test('gives its users turns', async () => {
    const { connections, start } = open({ size: 1 });
    const other = connections.createUser();
    const running = start();
    const mine = [start(), start(), start()];
    const theirs = start(undefined, other);
    running.end('');
    await settle();
    mine[0]?.end('');
    await settle();
    expect([mine[0]?.started, mine[1]?.started, theirs.started]).toEqual([[0], [], [0]]);
  });

  test('gives the groups of a user turns', async () => {
    const { start } = open({ size: 1 });
    const running = start({ group: 'a' });
    const mine = [start({ group: 'a' }), start({ group: 'a' })];
    const theirs = start({ group: 'b' });
    running.end('');
    await settle();
    const started = () => [mine[0]?.started.length, mine[1]?.started.length, theirs.started.length];
    for (const one of [mine[0], theirs]) one?.end('');
    await settle();
    await settle();
    expect(started()).toEqual([1, 1, 1]);
    mine[1]?.end('');
    await settle();
  });
});
