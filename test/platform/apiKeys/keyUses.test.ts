import { describe, expect, test } from 'bun:test';
import { type Instant, later, MINUTE } from '../../../src/lib/time.ts';
import type { ApiKeyId } from '../../../src/model/apiKey.ts';
import type { KeyUse } from '../../../src/model/ports/apiKey.ts';
import { createKeyUses } from '../../../src/platform/apiKeys/keyUses.ts';

const start = Date.UTC(2026, 0, 31, 12, 0, 59) as Instant;
const key = (number: number) => number as ApiKeyId;

/** Key uses, and a store that collects what each transaction writes. */
function open(capacity = 10_000) {
  const time = { now: start };
  const written: (readonly KeyUse[])[] = [];
  const failing = { isOn: false };
  const store = {
    async recordUses(given: readonly KeyUse[]) {
      if (failing.isOn) throw new Error('the disk is full');
      written.push(given);
    },
  };
  const uses = createKeyUses({ store, clock: () => time.now, capacity });
  const flushAll = async () => {
    while (await uses.flush());
  };
  return { uses, written, time, failing, flushAll };
}

describe('key uses', () => {
  test('are written once for each key, rounded to the minute, and only by a flush', async () => {
    const { uses, written, time, flushAll } = open();
    uses.record({ keyId: key(1), replacedAt: undefined });
    time.now = later(start, 2000);
    uses.record({ keyId: key(1), replacedAt: undefined });
    uses.record({ keyId: key(2), replacedAt: undefined });
    expect(written).toEqual([]);
    await flushAll();
    const minute = (start - (start % MINUTE) + MINUTE) as Instant;
    expect(written).toEqual([
      [
        { id: key(1), at: minute, old: undefined },
        { id: key(2), at: minute, old: undefined },
      ],
    ]);
    await flushAll();
    expect(written).toHaveLength(1);
  });

  test('are written in batches, and the round ends even if the keys are used in the meantime', async () => {
    const { uses, written } = open();
    const recordAll = () => {
      for (let number = 1; number <= 1200; number++)
        uses.record({ keyId: key(number), replacedAt: undefined });
    };
    recordAll();
    let calls = 1;
    for (; await uses.flush(); calls++) recordAll();
    expect(calls).toBe(3);
    expect(written.map((batch) => batch.length)).toEqual([500, 500, 200]);
    expect(new Set(written.flat().map(({ id }) => id)).size).toBe(1200);
  });

  test('that could not be written are written by the next flush', async () => {
    const { uses, written, failing, flushAll } = open();
    uses.record({ keyId: key(1), replacedAt: undefined });
    failing.isOn = true;
    expect(await uses.flush().catch((error: Error) => error.message)).toBe('the disk is full');
    failing.isOn = false;
    await flushAll();
    expect(written.flat().map(({ id }) => id)).toEqual([key(1)]);
  });

  test('are limited to the capacity until the next flush', async () => {
    const { uses, written, flushAll } = open(2);
    for (const number of [1, 2, 3, 1]) uses.record({ keyId: key(number), replacedAt: undefined });
    await flushAll();
    uses.record({ keyId: key(3), replacedAt: undefined });
    await flushAll();
    expect(written.map((batch) => batch.map(({ id }) => id))).toEqual([[key(1), key(2)], [key(3)]]);
  });
});

describe('the key uses of another thread', () => {
  test('are written with those of this thread, with the latest time of each key', async () => {
    const { uses, written, time, flushAll } = open();
    const minute = (start - (start % MINUTE)) as Instant;
    const before = later(minute, -MINUTE);
    const old = { at: minute, replacedAt: before };
    uses.record({ keyId: key(1), replacedAt: undefined });
    uses.merge([
      { id: key(1), at: before },
      { id: key(2), at: minute, old },
    ]);
    await flushAll();
    expect(written.flat()).toEqual([
      { id: key(1), at: minute, old: undefined },
      { id: key(2), at: minute, old },
    ]);
    expect(time.now).toBe(start);
  });

  test('are not recorded if there is no space', async () => {
    const { uses, written, flushAll } = open(1);
    uses.merge([
      { id: key(1), at: start },
      { id: key(2), at: start },
    ]);
    await flushAll();
    expect(written.flat().map(({ id }) => id)).toEqual([key(1)]);
  });
});
