import { describe, expect, test } from 'bun:test';
import { parseValidity, typedValidityOf } from '../../../src/portal/properties/propertyFormData.ts';

const parsed = (validity: string, unit: string) => {
  const outcome = parseValidity({ validity, validity_unit: unit });
  return outcome.ok ? outcome.value : outcome.problem;
};

test('a stored validity survives the form unchanged', () => {
  for (const seconds of [60, 61, 119, 1800, 1801, 3599, 3600, 3660, 5400, 86_400, 172_799, 172_800]) {
    const { validity, validity_unit: unit } = typedValidityOf(seconds);
    expect([seconds, parsed(validity, unit)]).toEqual([seconds, seconds]);
  }
});

test.each([
  [1800, '30', 'minutes'],
  [1801, '1801', 'seconds'],
  [5400, '90', 'minutes'],
  [7200, '2', 'hours'],
  [172_800, '48', 'hours'],
])('%d seconds are shown as %s %s', (seconds, validity, unit) => {
  expect(typedValidityOf(seconds)).toEqual({ validity, validity_unit: unit });
});

describe('an entered validity', () => {
  test.each([
    ['30', 'minutes', 1800],
    [' 2 ', 'hours', 7200],
    ['1.5', 'hours', 5400],
    ['1,5', 'minutes', 90],
    ['0.3', 'hours', 1080],
    ['60', 'seconds', 60],
  ])('of %s %s is %d seconds', (validity, unit, seconds) => {
    expect(parsed(validity, unit)).toBe(seconds);
  });

  test.each([
    ['', 'minutes'],
    ['x', 'minutes'],
    ['-5', 'minutes'],
    ['1e3', 'seconds'],
    ['0.5', 'minutes'],
    ['90.5', 'seconds'],
    ['49', 'hours'],
    ['172801', 'seconds'],
    ['59', 'seconds'],
    ['30', 'days'],
    ['30', ''],
    ['1.23456', 'hours'],
  ])('of %s %s is rejected', (validity, unit) => {
    expect(parsed(validity, unit)).toBe('validity-out-of-range');
  });
});
