import { describe, expect, test } from 'bun:test';
import { openVerifier, type PayloadChanges, signedPayload, solutionsWith } from './kindVerifier.ts';

const payload = (given?: PayloadChanges) => signedPayload({ version: 3, challenge: 'hashwx' }, given);

describe('a HashWX solution', () => {
  test('succeeds once, and a repeat is rejected without hashing', async () => {
    const state = openVerifier();
    expect(await state.verify(payload())).toMatchObject({
      success: true,
      name: 'no-error',
      origin: 'example.com',
    });
    expect(await state.verify(payload())).toMatchObject({ success: false, name: 'solution-verified-before' });
    expect([state.checks, state.ledger.claims]).toEqual([1, 1]);
  });

  test('repeats its verdict for a request with the same idempotency key', async () => {
    const state = openVerifier();
    const repeatHash = new Uint8Array(32).fill(5);
    expect(await state.verify(payload(), { repeatHash })).toMatchObject({ success: true });
    expect(await state.verify(payload(), { repeatHash })).toMatchObject({ success: true });
    const other = { repeatHash: new Uint8Array(32).fill(6) };
    expect(await state.verify(payload(), other)).toMatchObject({ name: 'solution-verified-before' });
    expect(state.checks).toBe(1);
  });

  test('counts as paid with its difficulty on the scale of BLAKE2b', async () => {
    const state = openVerifier();
    await state.verify(payload({ client: 4711 }));
    expect(state.verified).toEqual([[4711, 24 + 36, state.now]]);
  });

  test('fails if its work is not valid, without a claim', async () => {
    const state = openVerifier();
    state.result = 'invalid';
    expect(await state.verify(payload())).toMatchObject({ success: false, name: 'solution-invalid' });
    expect(state.ledger.claims).toBe(0);
  });

  test.each([
    ['the same solution twice', solutionsWith((bytes) => bytes.copyWithin(8, 0, 8)), 'solution-duplicates'],
    ['the same index twice', solutionsWith((bytes) => bytes.set([0, 0, 9], 8)), 'solution-duplicates'],
    ['an index that is too high', solutionsWith((bytes) => bytes.set([8], 56)), 'solution-invalid'],
    ['a second byte other than 0', solutionsWith((bytes) => bytes.set([1], 57)), 'solution-invalid'],
    ['a wrong number of solutions', new Uint8Array(128), 'solution-bad-format'],
  ] as const)('with %s is rejected without hashing', async (_, solutions, name) => {
    const state = openVerifier();
    expect(await state.verify(payload({ solutions }))).toMatchObject({ success: false, name });
    expect([state.checks, state.ledger.claims]).toEqual([0, 0]);
  });

  test.each([0, 23])(
    'of a signed puzzle of difficulty %i, which random nonces solve, is rejected',
    async (difficulty) => {
      const state = openVerifier();
      expect(await state.verify(payload({ difficulty }))).toMatchObject({ name: 'solution-bad-format' });
      expect(state.checks).toBe(0);
    },
  );
});
