import { expect, test } from 'bun:test';
import { type Instant, later, MINUTE } from '../../../src/lib/time.ts';
import type { AuditEntry } from '../../../src/model/audit.ts';
import { createRecordRejection } from '../../../src/platform/authentication/signIn.ts';

test('failed sign-ins above 30 a minute become one entry with their number', async () => {
  const entries: Omit<AuditEntry, 'at'>[] = [];
  const time = { now: (Math.ceil(Date.UTC(2026, 0, 31) / MINUTE) * MINUTE) as Instant };
  const recordRejection = createRecordRejection({
    audit: { record: async (entry) => void entries.push(entry) },
    clock: () => time.now,
  });
  const clientInfo = { address: '192.0.2.1', browser: '' };
  for (let n = 0; n < 1000; n++) await recordRejection(clientInfo, `user${n}@example.com`);
  expect(entries).toHaveLength(30);
  expect(entries[29]).toMatchObject({ actor: 'user29@example.com', address: '192.0.2.1', object: '' });
  time.now = later(time.now, MINUTE);
  await recordRejection(clientInfo, 'ann@example.com');
  expect(entries.slice(30)).toMatchObject([
    { action: 'session-rejected', actor: '', object: '970 more' },
    { action: 'session-rejected', actor: 'ann@example.com', object: '' },
  ]);
  time.now = later(time.now, MINUTE);
  await recordRejection(clientInfo, 'ann@example.com');
  expect(entries).toHaveLength(33);
});

test('the minutes of failed sign-ins are those of the clock', async () => {
  const entries: Omit<AuditEntry, 'at'>[] = [];
  const start = Math.ceil(Date.UTC(2026, 0, 31) / MINUTE) * MINUTE;
  const time = { now: start as Instant };
  const recordRejection = createRecordRejection({
    audit: { record: async (entry) => void entries.push(entry) },
    clock: () => time.now,
  });
  const reject = () => recordRejection({ address: '192.0.2.1', browser: '' }, 'ann@example.com');
  for (let n = 0; n < 60; n++) {
    time.now = (start + n * 999) as Instant;
    await reject();
  }
  expect(entries).toHaveLength(30);
  time.now = (start + MINUTE - 1) as Instant;
  await reject();
  expect(entries).toHaveLength(30);
  time.now = (start + MINUTE) as Instant;
  await reject();
  expect(entries.slice(30).map(({ object }) => object)).toEqual(['31 more', '']);
});
