import { describe, expect, test } from 'bun:test';
import type { Random } from '../../../src/lib/ids.ts';
import { DAY, HOUR, type Instant } from '../../../src/lib/time.ts';
import { SETTING_FIELDS } from '../../../src/model/propertyFields.ts';
import { createSigningKeys } from '../../../src/platform/installation/signingKeys.ts';
import { sha256 } from '../../../src/server/crypto.ts';
import { openBackOffice } from '../testServices.ts';

describe('signing keys', () => {
  test('there is one from the start, and it stays', async () => {
    const { signingKeys } = openBackOffice();
    const [key, ...more] = await signingKeys.list();
    expect(more).toEqual([]);
    expect(key?.secret).toHaveLength(32);
    expect(key?.fingerprint).toEqual(sha256(key?.secret ?? new Uint8Array()).slice(0, 4));
    expect(await signingKeys.list()).toEqual(key === undefined ? [] : [key]);
  });

  test('a rotation puts a new key in front and keeps the old one', async () => {
    const { signingKeys, time } = openBackOffice();
    const [old] = await signingKeys.list();
    time.now = (time.now + HOUR) as Instant;
    const fresh = await signingKeys.rotate();
    expect(await signingKeys.list()).toEqual([fresh, old] as never);
  });

  test('a rotation with the clock set back, or in the same millisecond, still puts the new key in front', async () => {
    const { signingKeys, time } = openBackOffice();
    await signingKeys.list();
    const same = await signingKeys.rotate();
    time.now = (time.now - DAY) as Instant;
    const back = await signingKeys.rotate();
    expect((await signingKeys.list()).slice(0, 2)).toEqual([back, same]);
  });

  test('a key is kept until the last puzzle it signed has expired, and a day more', async () => {
    const { signingKeys, time } = openBackOffice();
    await signingKeys.list();
    const replacedAt = time.now;
    await signingKeys.rotate();
    const kept = SETTING_FIELDS.validitySeconds.max * 1000 + DAY;
    time.now = (replacedAt + kept - 1) as Instant;
    expect(await signingKeys.prune()).toBe(0);
    time.now = (replacedAt + kept) as Instant;
    expect(await signingKeys.prune()).toBe(1);
    expect(await signingKeys.list()).toHaveLength(1);
  });

  test('the only key is never dropped, however old', async () => {
    const { signingKeys, time } = openBackOffice();
    const before = await signingKeys.list();
    time.now = (time.now + 10_000 * DAY) as Instant;
    expect(await signingKeys.prune()).toBe(0);
    expect(await signingKeys.list()).toEqual(before);
  });

  test('another secret is drawn where the fingerprint is taken', async () => {
    const { signingStore, time } = openBackOffice();
    // The first two draws are the same.
    const draws = [1, 1, 2];
    const random: Random = (bytes) => bytes.fill(draws.shift() ?? 9);
    const keys = createSigningKeys({ store: signingStore, clock: () => time.now, random, digest: sha256 });
    await keys.list();
    expect((await keys.rotate()).secret[0]).toBe(2);
    expect(draws).toEqual([]);
  });
});
