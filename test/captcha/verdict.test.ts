import { expect, test } from 'bun:test';
import {
  FAILURE_NAMES,
  INSTALLATION_FAILURE_NAMES,
  VERDICT_CODES,
  verdictNameOf,
} from '../../src/captcha/verdict.ts';

// The lists are the members of `rejections` in the Platform API, so a name that is missing would be a count that is lost.
test('the rejections of a property are those whose puzzle names it', () => {
  expect(FAILURE_NAMES).toEqual([
    'error-other',
    'solution-duplicates',
    'solution-invalid',
    'puzzle-expired',
    'property-invalid',
    'property-owner-mismatch',
    'solution-verified-before',
    'org-scope-error',
  ]);
});

test('the rejections of the installation also include payloads without a property', () => {
  expect(INSTALLATION_FAILURE_NAMES).toEqual([...FAILURE_NAMES, 'solution-bad-format', 'integrity-error']);
});

test('each code has a name', () => {
  for (const [name, code] of Object.entries(VERDICT_CODES)) expect(verdictNameOf(code)).toBe(name as never);
  for (const code of [-1, 13, '0', undefined, Number.NaN]) expect(verdictNameOf(code)).toBeUndefined();
});
