import { describe, expect, test } from 'bun:test';
import type { Random } from '../../../src/lib/ids.ts';
import { DAY, HOUR, type Instant } from '../../../src/lib/time.ts';
import { COMMAND_LINE, INSTALLATION } from '../../../src/model/actor.ts';
import { SETTING_FIELDS } from '../../../src/model/propertyFields.ts';
import { createSigningKeys } from '../../../src/platform/installation/signingKeys.ts';
import { sha256 } from '../../../src/sha256.ts';
import { openUseCases } from '../useCases.ts';

describe('signing keys', () => {
  test('the first key is created when keys are listed', async () => {
    const { signingKeys } = openUseCases();
    const [key, ...more] = await signingKeys.list();
    expect(more).toEqual([]);
    expect(key?.secret).toHaveLength(32);
    expect(key?.fingerprint).toEqual(sha256(key?.secret ?? new Uint8Array()).slice(0, 4));
    expect(await signingKeys.list()).toEqual(key === undefined ? [] : [key]);
  });

  test('a rotation creates a newer key, keeps the old one, and is recorded in the audit log', async () => {
    const { signingKeys, stores, time } = openUseCases();
    const [old] = await signingKeys.list();
    time.now = (time.now + HOUR) as Instant;
    const created = await signingKeys.rotate(COMMAND_LINE);
    expect(await signingKeys.list()).toEqual([created, old] as never);
    expect(await stores.audit.page({}, undefined, 10)).toMatchObject([
      { action: 'signing-key-rotated', actor: 'command line', object: created.fingerprint.toHex() },
    ]);
  });

  test('the key of a rotation is the newest even if the clock was set back or shows the same time', async () => {
    const { signingKeys, time } = openUseCases();
    await signingKeys.list();
    const same = await signingKeys.rotate(INSTALLATION);
    time.now = (time.now - DAY) as Instant;
    const back = await signingKeys.rotate(INSTALLATION);
    expect((await signingKeys.list()).slice(0, 2)).toEqual([back, same]);
  });

  test('a key is deleted a day after its last puzzle has expired', async () => {
    const { signingKeys, time } = openUseCases();
    await signingKeys.list();
    const replacedAt = time.now;
    await signingKeys.rotate(INSTALLATION);
    const kept = SETTING_FIELDS.validitySeconds.max * 1000 + DAY;
    time.now = (replacedAt + kept - 1) as Instant;
    expect(await signingKeys.prune()).toBe(0);
    time.now = (replacedAt + kept) as Instant;
    expect(await signingKeys.prune()).toBe(1);
    expect(await signingKeys.list()).toHaveLength(1);
  });

  test('the only key is never deleted', async () => {
    const { signingKeys, time } = openUseCases();
    const before = await signingKeys.list();
    time.now = (time.now + 10_000 * DAY) as Instant;
    expect(await signingKeys.prune()).toBe(0);
    expect(await signingKeys.list()).toEqual(before);
  });

  test('another secret is generated if the fingerprint is taken', async () => {
    const { signingStore, audit, time } = openUseCases();
    // The first two values are the same.
    const values = [1, 1, 2];
    const random: Random = (bytes) => bytes.fill(values.shift() ?? 9);
    const keys = createSigningKeys({
      store: signingStore,
      entryFor: audit.entryFor,
      clock: () => time.now,
      random,
    });
    await keys.list();
    expect((await keys.rotate(INSTALLATION)).secret[0]).toBe(2);
    expect(values).toEqual([]);
  });
});
