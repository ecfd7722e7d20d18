import { expect, test } from 'bun:test';
import { type Instant, later, MINUTE } from '../../src/lib/time.ts';
import type { AuditEntry } from '../../src/model/audit.ts';
import { createRecordRejection } from '../../src/platform/rejectionLog.ts';

test('wrong passwords are noted down one by one, and as a number above 30 a minute', async () => {
  const noted: Omit<AuditEntry, 'at'>[] = [];
  const time = { now: (Math.ceil(Date.UTC(2026, 0, 31) / MINUTE) * MINUTE) as Instant };
  const note = createRecordRejection({
    audit: async (entry) => void noted.push(entry),
    clock: () => time.now,
  });
  const clientInfo = { address: '192.0.2.1', browser: '' };
  for (let n = 0; n < 1000; n++) await note(clientInfo, `user${n}@example.com`);
  expect(noted).toHaveLength(30);
  expect(noted[29]).toMatchObject({ actor: 'user29@example.com', address: '192.0.2.1', subject: '' });
  time.now = later(time.now, MINUTE);
  await note(clientInfo, 'ann@example.com');
  expect(noted.slice(30)).toMatchObject([
    { action: 'session-refused', actor: '', subject: '970 more' },
    { action: 'session-refused', actor: 'ann@example.com', subject: '' },
  ]);
  time.now = later(time.now, MINUTE);
  await note(clientInfo, 'ann@example.com');
  expect(noted).toHaveLength(33);
});
