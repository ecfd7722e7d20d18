import { describe, expect, test } from 'bun:test';
import type { AccountId } from '../../../src/model/account.ts';
import { createExportLimit, download } from '../../../src/portal/kit/download.ts';
import type { PortalDeps, SignedInVisit } from '../../../src/portal/kit/handler.ts';

const visitOf = (user: number) =>
  ({
    actor: { user },
    signedIn: undefined,
    address: '/portal',
    request: new Request('http://localhost/portal'),
    keyWarnings: [],
    query: new URLSearchParams(),
    theme: 'system',
  }) as unknown as SignedInVisit;

/** Exports with a timer that the test fires, and the number of parts that were created. */
function open() {
  const timeouts = new Set<() => void>();
  const exports = createExportLimit((_, run) => {
    timeouts.add(run);
    return () => timeouts.delete(run);
  });
  const created = { parts: 0, ended: 0 };
  async function* parts(count: number) {
    try {
      for (let part = 0; part < count; part++) {
        created.parts++;
        yield `part ${part}\n`;
      }
    } finally {
      created.ended++;
    }
  }
  const start = (user: number, count = 3) =>
    download(visitOf(user), { exports } as unknown as PortalDeps, {
      name: 'a.csv',
      type: 'text/csv',
      parts: parts(count),
    });
  /** Whether the user can start another export. */
  const isFree = (user: number) => {
    const end = exports.begin(user as AccountId, () => {});
    end?.();
    return end !== undefined;
  };
  return { exports, timeouts, created, start, isFree };
}

describe('an export', () => {
  test('is a file, and ends with its last part', async () => {
    const { start, created, timeouts, isFree } = open();
    const response = start(1);
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="a.csv"');
    expect(await response.text()).toBe('part 0\npart 1\npart 2\n');
    expect([created.ended, timeouts.size, isFree(1)]).toEqual([1, 0, true]);
  });

  test('is created only as fast as the client reads it', async () => {
    const { start, created } = open();
    const reader = start(1, 1000).body?.getReader();
    await reader?.read();
    for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
    expect(created.parts).toBeLessThan(5);
  });

  test('is rejected with 429 if the user already has two, and does not affect others', async () => {
    const { start } = open();
    const [first, second] = [start(1), start(1)];
    const third = start(1);
    expect([third.status, third.headers.get('retry-after')]).toEqual([429, '30']);
    expect(await third.text()).toContain('You can run 2 exports');
    expect(start(2).status).toBe(200);
    await first.text();
    expect(start(1).status).toBe(200);
    await second.body?.cancel();
    expect(start(1).status).toBe(200);
  });

  test('of all users share one limit, and a user without an export takes a place from a user with two', async () => {
    const { start, isFree } = open();
    const older = start(1);
    const newer = start(1).body?.getReader();
    await newer?.read();
    const others = Array.from({ length: 14 }, (_, index) => start(2 + index));
    expect(others.map(({ status }) => status)).toEqual(Array(14).fill(200));
    // A second export of a user interrupts nobody.
    expect(start(2).status).toBe(429);
    expect(start(20).status).toBe(200);
    await expect(
      (async () => {
        while (!(await newer?.read())?.done);
      })(),
    ).rejects.toThrow('another user needs the place');
    // Every user has one export.
    const rejected = start(21);
    expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([429, '30']);
    expect(await rejected.text()).toContain('all users together can run 16');
    expect(await older.text()).toContain('part 2');
    expect(isFree(21)).toBe(true);
  });

  test('ends when the client closes the connection, or reads nothing', async () => {
    const { start, created, timeouts, isFree } = open();
    const canceled = start(1, 1000);
    const reader = canceled.body?.getReader();
    await reader?.read();
    const stalled = start(1, 1000).body?.getReader();
    await stalled?.read();
    expect(isFree(1)).toBe(false);
    await reader?.cancel();
    expect(isFree(1)).toBe(true);
    const third = start(1, 1000);
    expect(isFree(1)).toBe(false);
    while (timeouts.size < 2) await new Promise(setImmediate);
    for (const onTimeout of [...timeouts]) onTimeout();
    expect(isFree(1)).toBe(true);
    expect(await third.text().catch(() => 'failed')).toBe('failed');
    // A generator that never started has nothing to end.
    while (created.ended < 2) await new Promise(setImmediate);
  });

  test('ends when a part cannot be created', async () => {
    const { exports, isFree } = open();
    // biome-ignore lint/correctness/useYield: it fails before its first part
    async function* fail(): AsyncGenerator<string> {
      throw new Error('the database fails');
    }
    const response = download(visitOf(1), { exports } as unknown as PortalDeps, {
      name: 'a.csv',
      type: 'text/csv',
      parts: fail(),
    });
    expect(await response.text().catch(() => 'failed')).toBe('failed');
    expect(isFree(1)).toBe(true);
  });
});
