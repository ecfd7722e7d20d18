import { describe, expect, test } from 'bun:test';
import type { VerificationRequest } from '../../src/captcha/verify.ts';
import { instantFromSeconds } from '../../src/lib/time.ts';
import { createFakeLedger, principal, property } from './fakes.ts';
import { issuedAtSeconds, openVerifier, type PayloadChanges, signedPayload } from './kindVerifier.ts';

const ARGON2ID = { version: 2, challenge: 'argon2id' } as const;

const payload = ({ kind = ARGON2ID, ...given }: PayloadChanges = {}) => signedPayload(kind, given);

describe('an argon2id solution', () => {
  test('succeeds if the hashes are valid, and a repeat is rejected without hashing', async () => {
    const state = openVerifier();
    expect(await state.verify(payload())).toMatchObject({
      success: true,
      name: 'no-error',
      origin: 'example.com',
      issuedAt: instantFromSeconds(issuedAtSeconds),
    });
    expect(await state.verify(payload())).toMatchObject({ success: false, name: 'solution-verified-before' });
    expect(state.checks).toBe(1);
    expect(state.counted).toEqual(['no-error', 'solution-verified-before']);
  });

  test('counts as paid with its difficulty on the scale of BLAKE2b', async () => {
    const state = openVerifier();
    await state.verify(payload({ client: 4711 }));
    expect(state.verified).toEqual([[4711, 24 + 128, state.now]]);
  });

  test('of a puzzle that an earlier version issued without a client is paid by none', async () => {
    const state = openVerifier();
    expect(await state.verify(payload())).toMatchObject({ success: true });
    expect(state.verified).toEqual([]);
  });

  test('fails if a hash is not valid, without a claim', async () => {
    const state = openVerifier();
    state.result = 'invalid';
    expect(await state.verify(payload())).toMatchObject({ success: false, name: 'solution-invalid' });
    expect(state.ledger.claims).toBe(0);
  });

  test('is not verified, claimed, or counted while the queue is full', async () => {
    const state = openVerifier();
    state.result = 'busy';
    expect(await state.verify(payload())).toMatchObject({
      success: false,
      name: 'error-other',
      isBusy: true,
      isUnavailable: false,
    });
    expect([state.ledger.claims, state.counted]).toEqual([0, []]);
    state.result = 'valid';
    expect(await state.verify(payload())).toMatchObject({ success: true, name: 'no-error' });
  });

  test('is unavailable if the hashes cannot be computed, and reports the reason', async () => {
    const state = openVerifier();
    state.result = new Error('no library');
    expect(await state.verify(payload())).toMatchObject({
      success: false,
      name: 'error-other',
      isUnavailable: true,
    });
    expect(state.failures).toEqual(['argon2id: no library']);
    expect(state.ledger.claims).toBe(0);
  });

  test('has code 9 in maintenance', async () => {
    const state = openVerifier();
    state.isInMaintenance = true;
    expect(await state.verify(payload())).toMatchObject({ success: true, name: 'maintenance-mode' });
  });

  test('repeats its verdict for a repeated request without hashing', async () => {
    const state = openVerifier();
    const repeatHash = new Uint8Array(32).fill(5);
    expect(await state.verify(payload(), { repeatHash })).toMatchObject({ success: true });
    expect(await state.verify(payload(), { repeatHash })).toMatchObject({ success: true });
    expect(state.checks).toBe(1);
    const other = { repeatHash: new Uint8Array(32).fill(6) };
    expect(await state.verify(payload(), other)).toMatchObject({ name: 'solution-verified-before' });
    expect(state.counted).toEqual(['no-error', 'solution-verified-before']);
    // A spent solution was hashed again for each new idempotency key.
    expect(state.checks).toBe(1);
    expect(await state.verify(payload(), { repeatHash })).toMatchObject({ success: true });
  });

  test('has one verdict for simultaneous requests with the same key', async () => {
    const key = { repeatHash: new Uint8Array(32).fill(5) };
    const ledger = createFakeLedger();
    // The second request looks for the verdict of the first one, finds none, and continues when the first one was counted.
    const { recall } = ledger;
    const second = Promise.withResolvers<void>();
    let looks = 0;
    ledger.recall = async (given) => {
      const found = await recall(given);
      if (++looks === 2) await second.promise;
      return found;
    };
    const state = openVerifier(ledger);
    const verdicts = [state.verify(payload(), key), state.verify(payload(), key)];
    expect(await verdicts[0]).toMatchObject({ success: true });
    second.resolve();
    expect(await verdicts[1]).toMatchObject({ success: true, name: 'no-error' });
    expect([state.checks, state.ledger.claims, looks]).toEqual([1, 1, 3]);
  });

  test('is hashed once if its claim is not in the cache, for example after a restart', async () => {
    const { ledger, ...before } = openVerifier();
    expect(await before.verify(payload())).toMatchObject({ success: true });
    const state = openVerifier(ledger);
    for (const byte of [1, 2, 3]) {
      const repeatHash = new Uint8Array(32).fill(byte);
      expect(await state.verify(payload(), { repeatHash })).toMatchObject({
        success: false,
        name: 'solution-verified-before',
      });
    }
    expect(state.checks).toBe(1);
  });
});

describe('before any argon2id hash', () => {
  const duplicates = new Uint8Array(64);
  test.each([
    [
      'a wrong number of solutions',
      { payload: payload({ solutions: new Uint8Array(128) }) },
      'solution-bad-format',
    ],
    ['a signature of another installation', { payload: payload({ signer: 2 }) }, 'integrity-error'],
    ['duplicates', { payload: payload({ solutions: duplicates }) }, 'solution-duplicates'],
    ['another expected sitekey', { expectedSitekey: 'f'.repeat(32) }, 'property-invalid'],
    [
      'an organization of others',
      { principal: { ...principal, memberOf: new Set() } },
      'property-owner-mismatch',
    ],
  ] as const)('%s is rejected', async (_, given, name) => {
    const state = openVerifier();
    expect(await state.verify(payload(), given as Partial<VerificationRequest>)).toMatchObject({
      success: false,
      name,
    });
    expect([state.checks, state.ledger.claims]).toEqual([0, 0]);
  });

  test('an expired puzzle and a disabled property are rejected', async () => {
    const state = openVerifier();
    state.found = { ...property, isEnabled: false };
    expect(await state.verify(payload())).toMatchObject({ success: false, name: 'error-other' });
    state.now = instantFromSeconds(issuedAtSeconds + 60);
    expect(await state.verify(payload())).toMatchObject({ success: false, name: 'puzzle-expired' });
    expect(state.checks).toBe(0);
  });

  test.each([0, 1, 23])(
    'a signed puzzle of difficulty %i, which random nonces solve, is rejected',
    async (difficulty) => {
      const state = openVerifier();
      expect(await state.verify(payload({ difficulty }))).toMatchObject({
        success: false,
        name: 'solution-bad-format',
      });
      expect(state.checks).toBe(0);
    },
  );

  test('a puzzle of version 2 with BLAKE2b is verified with BLAKE2b', async () => {
    const state = openVerifier();
    const kind = { version: 2, challenge: 'blake2b' } as const;
    expect(await state.verify(payload({ kind, difficulty: 200 }))).toMatchObject({
      name: 'solution-invalid',
    });
    expect(await state.verify(payload({ kind, difficulty: 0 }))).toMatchObject({ name: 'no-error' });
    expect(state.checks).toBe(0);
  });
});
