import { expect, test } from 'bun:test';
import { createRemoteLog } from '../../../src/server/threads/remoteLog.ts';
import type { LogEntry } from '../../../src/server/threads/threadMethods.ts';

/** A log whose entries the test writes. */
function open() {
  const sent: { readonly event: string; readonly write: () => void }[] = [];
  const lost: number[] = [];
  const send = ({ event }: LogEntry) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    sent.push({ event, write: resolve });
    return promise;
  };
  const log = createRemoteLog('debug', { take: () => true }, send, (entries) => lost.push(entries));
  return {
    sent,
    lost,
    log,
    events: () => sent.map(({ event }) => event),
    /** Writes the oldest entries that are not written yet. */
    async write(count: number) {
      for (const { write } of sent.splice(0, count)) write();
      await Promise.resolve();
      await Promise.resolve();
    },
  };
}

test('entries that the management thread does not write are bounded, and the lost ones are reported once', async () => {
  const { sent, lost, log, write, events } = open();
  for (let i = 0; i < 1500; i++) log.debug('request', { i });
  expect(sent).toHaveLength(900);
  await write(399);
  log.debug('still-lost');
  expect(events()).not.toContain('still-lost');
  expect(lost).toEqual([]);
  await write(1);
  expect(lost).toEqual([601]);
  log.debug('next');
  expect(events().at(-1)).toBe('next');
  await write(1000);
  expect(lost).toEqual([601]);
  expect(sent).toEqual([]);
});

test('debug entries leave space for 100 entries of other levels', () => {
  const { sent, log } = open();
  for (let i = 0; i < 1500; i++) log.debug('request', { i });
  for (let i = 0; i < 200; i++) log.error('failed', { i });
  expect(sent.filter(({ event }) => event === 'failed')).toHaveLength(100);
});

test('no entries are lost if they are written in time', async () => {
  const { lost, log, write } = open();
  for (let i = 0; i < 5000; i++) {
    log.debug('request', { i });
    if (i % 900 === 0) await write(900);
  }
  expect(lost).toEqual([]);
});

test('entries below the level are not sent', () => {
  const sent: string[] = [];
  const log = createRemoteLog(
    'warn',
    { take: () => true },
    async ({ event }) => void sent.push(event),
    () => {},
  );
  log.debug('a');
  log.info('b');
  log.warn('c');
  log.error('d');
  expect(sent).toEqual(['c', 'd']);
});
