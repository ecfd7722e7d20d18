import { describe, expect, test } from 'bun:test';
import { attempt, chain } from '../../src/lib/awaitable.ts';

const double = (value: number) => 2 * value;
const recover = (error: unknown) => `recovered from ${String(error)}`;

function fail(reason: unknown): never {
  throw reason;
}

describe('chain', () => {
  test('passes an available value on immediately', () => {
    expect(chain(21, double)).toBe(42);
  });

  test('waits for a promise', async () => {
    const result = chain(Promise.resolve(21), double);
    expect(result).toBeInstanceOf(Promise);
    expect(await result).toBe(42);
  });

  test('handles a rejected promise', async () => {
    expect(await chain(Promise.reject('failure'), () => 'unused', recover)).toBe('recovered from failure');
  });

  test('lets errors of the next step through', async () => {
    expect(() => chain(1, () => fail('bug'), recover)).toThrow('bug');
    const late = chain(Promise.resolve(1), () => fail('bug'), recover);
    expect(await Promise.resolve(late).catch((error) => `caught ${error}`)).toBe('caught bug');
  });
});

describe('attempt', () => {
  test.each([
    ['throws', () => fail('failure')],
    ['rejects', () => Promise.reject('failure')],
  ])('handles a call that %s', async (_, call) => {
    expect(await attempt(call, () => 'unused', recover)).toBe('recovered from failure');
  });

  test('passes the result of the call on, and lets errors of the next step through', () => {
    expect(attempt(() => 21, double, fail)).toBe(42);
    expect(() =>
      attempt(
        () => 21,
        () => fail('bug'),
        recover,
      ),
    ).toThrow('bug');
  });
});
