import { describe, expect, test } from 'bun:test';
import { difficultyOf } from '../../src/captcha/difficulty.ts';
import { SETTING_FIELDS } from '../../src/model/propertyFields.ts';
import { expectedAttempts } from '../../src/puzzle/check.ts';

const noLoad = { clientFill: 0, propertyFill: 0 };
const GROWING = ['slow', 'medium', 'fast'] as const;
const fills = [0, 0.5, 1, 2, 5, 10, 50, 100, 1e3, 1e6, 1e12, Number.MAX_VALUE];

describe('difficulty', () => {
  test.each([1, 80, 128, 255])('is exactly the level %d on constant, regardless of the load', (level) => {
    for (const fill of fills) {
      expect(difficultyOf(level, 'constant', { clientFill: fill, propertyFill: fill })).toBe(level);
    }
  });

  test.each(SETTING_FIELDS.growth.choices)('is the level on %s without load', (growth) => {
    for (let level = 1; level <= 255; level++) expect(difficultyOf(level, growth, noLoad)).toBe(level);
  });

  test.each(GROWING)('on %s never falls when a signal rises, and is an integer up to 255', (growth) => {
    for (const other of fills) {
      let [lastByClient, lastByProperty] = [0, 0];
      for (const fill of fills) {
        const client = difficultyOf(100, growth, { clientFill: fill, propertyFill: other });
        const property = difficultyOf(100, growth, { clientFill: other, propertyFill: fill });
        expect(client).toBeGreaterThanOrEqual(lastByClient);
        expect(property).toBeGreaterThanOrEqual(lastByProperty);
        for (const difficulty of [client, property]) {
          expect(Number.isInteger(difficulty)).toBe(true);
          expect(difficulty).toBeWithin(100, 256);
        }
        [lastByClient, lastByProperty] = [client, property];
      }
    }
  });

  test('rises faster on fast than on medium, and on medium than on slow', () => {
    for (const fill of [5, 10, 50]) {
      const signals = { clientFill: fill, propertyFill: fill };
      const [slow = 0, medium = 0, fast = 0] = GROWING.map((growth) => difficultyOf(50, growth, signals));
      expect(slow).toBeLessThan(medium);
      expect(medium).toBeLessThan(fast);
    }
  });

  test('saturates at 255', () => {
    expect(difficultyOf(255, 'slow', { clientFill: 1000, propertyFill: 1000 })).toBe(255);
    expect(difficultyOf(1, 'fast', { clientFill: Number.MAX_VALUE, propertyFill: 0 })).toBe(255);
  });

  test.each([
    ['slow', 1.2],
    ['medium', 1.3],
    ['fast', 1.7],
  ] as const)('on %s, a crowd of any size raises the work by at most a factor of %d', (growth, limit) => {
    for (const fill of fills) {
      const attempts = expectedAttempts(difficultyOf(128, growth, { clientFill: 0, propertyFill: fill }));
      expect(attempts / expectedAttempts(128)).toBeLessThanOrEqual(limit);
    }
  });
});
