import { describe, expect, test } from 'bun:test';
import type { ApiKeyId } from '../../src/model/apiKey.ts';
import type { AuditEntry } from '../../src/model/audit.ts';
import { expectDone } from '../support/server.ts';
import { addAccount, KEYS_MAX, newKey, now, type OpenWorld, type World } from './world.ts';

const ENTRY: AuditEntry = {
  at: now,
  accountId: undefined,
  actor: 'command line',
  source: 'command-line',
  address: undefined,
  action: 'plan-set',
  organizationId: undefined,
  subject: 'subject',
};

/** A call that changes something, and one that changes nothing. */
type Case = {
  readonly change: (entry: AuditEntry) => Promise<unknown>;
  readonly nothing: (entry: AuditEntry) => Promise<unknown>;
};

const CASES: Readonly<Record<string, (world: World) => Promise<Case>>> = {
  async 'apiKeys.create'({ apiKeys, ...world }) {
    const key = newKey(await addAccount({ apiKeys, ...world }));
    return {
      change: (entry) => apiKeys.create(key, KEYS_MAX, now, entry),
      nothing: (entry) => apiKeys.create(key, KEYS_MAX, now, entry),
    };
  },
  async 'apiKeys.revoke'(world) {
    const { id } = await addKey(world);
    const revoke = (entry: AuditEntry) => world.apiKeys.revoke(id, now, entry);
    return { change: revoke, nothing: revoke };
  },
  async 'apiKeys.rotate'(world) {
    const { id } = await addKey(world);
    return {
      change: (entry) => world.apiKeys.rotate(id, 'a'.repeat(64), entry),
      nothing: (entry) => world.apiKeys.rotate(999 as ApiKeyId, 'b'.repeat(64), entry),
    };
  },
  async 'apiKeys.change'(world) {
    const { id } = await addKey(world);
    return {
      change: (entry) => world.apiKeys.change(id, { name: 'Other' }, entry),
      nothing: (entry) => world.apiKeys.change(999 as ApiKeyId, { name: 'Other' }, entry),
    };
  },
};

async function addKey(world: World) {
  return expectDone(await world.apiKeys.create(newKey(await addAccount(world)), KEYS_MAX, now));
}

/** Every method that takes an audit log entry. */
export function describeAuditEntries(name: string, open: OpenWorld): void {
  describe(`audit log entries (${name})`, () => {
    test.each(Object.entries(CASES))('%s appends its entry if it changes something', async (_, prepare) => {
      const world = open();
      const { change, nothing } = await prepare(world);
      await change({ ...ENTRY, subject: 'made' });
      await nothing({ ...ENTRY, subject: 'not made' });
      const entries = await world.audit.page({}, undefined, 10);
      expect(entries.map(({ subject }) => subject)).toEqual(['made']);
    });
  });
}
