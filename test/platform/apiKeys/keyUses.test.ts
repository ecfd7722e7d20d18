import { describe, expect, test } from 'bun:test';
import { type Instant, later, MINUTE } from '../../../src/lib/time.ts';
import type { ApiKeyId } from '../../../src/model/apiKey.ts';
import type { KeyUse } from '../../../src/model/ports/apiKey.ts';
import { createKeyUses } from '../../../src/platform/apiKeys/keyUses.ts';

const start = Date.UTC(2026, 0, 31, 12, 0, 59) as Instant;
const key = (number: number) => number as ApiKeyId;

/** Uses of keys, and a store that remembers what it was told in each transaction. */
function open(capacity = 10_000) {
  const time = { now: start };
  const told: (readonly KeyUse[])[] = [];
  const failing = { isOn: false };
  const store = {
    async recordUses(given: readonly KeyUse[]) {
      if (failing.isOn) throw new Error('the disk is full');
      told.push(given);
    },
  };
  const uses = createKeyUses({ store, clock: () => time.now, capacity });
  const flushAll = async () => {
    while (await uses.flush());
  };
  return { uses, told, time, failing, flushAll };
}

describe('uses of keys', () => {
  test('are written once a key, to the minute, and only when they are flushed', async () => {
    const { uses, told, time, flushAll } = open();
    uses.note(key(1));
    time.now = later(start, 2000);
    uses.note(key(1));
    uses.note(key(2));
    expect(told).toEqual([]);
    await flushAll();
    const minute = (start - (start % MINUTE) + MINUTE) as Instant;
    expect(told).toEqual([
      [
        { id: key(1), at: minute },
        { id: key(2), at: minute },
      ],
    ]);
    await flushAll();
    expect(told).toHaveLength(1);
  });

  test('are written in portions, and the round ends, however busy the keys are', async () => {
    const { uses, told } = open();
    const noteAll = () => {
      for (let number = 1; number <= 1200; number++) uses.note(key(number));
    };
    noteAll();
    let calls = 1;
    for (; await uses.flush(); calls++) noteAll();
    expect(calls).toBe(3);
    expect(told.map((portion) => portion.length)).toEqual([500, 500, 200]);
    expect(new Set(told.flat().map(({ id }) => id)).size).toBe(1200);
  });

  test('that could not be written are written the next time', async () => {
    const { uses, told, failing, flushAll } = open();
    uses.note(key(1));
    failing.isOn = true;
    expect(await uses.flush().catch((error: Error) => error.message)).toBe('the disk is full');
    failing.isOn = false;
    await flushAll();
    expect(told.flat().map(({ id }) => id)).toEqual([key(1)]);
  });

  test('are bounded: beyond it further keys are left out until the next flush', async () => {
    const { uses, told, flushAll } = open(2);
    for (const number of [1, 2, 3, 1]) uses.note(key(number));
    await flushAll();
    uses.note(key(3));
    await flushAll();
    expect(told.map((portion) => portion.map(({ id }) => id))).toEqual([[key(1), key(2)], [key(3)]]);
  });
});
