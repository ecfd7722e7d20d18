import { describe, expect, test } from 'bun:test';
import { DEFAULT_KEEP_OLD, KEEP_OLD_SECONDS } from '../../src/model/apiKey.ts';
import { API_KEY_FIELDS, KEEP_OLD_FIELD, parseKeyRate } from '../../src/model/apiKeyFields.ts';
import { IMPORT_PROBLEMS } from '../../src/model/exportDocument.ts';
import { booleanField, fromNamedValues, toNamedFields, toNamedValues } from '../../src/model/field.ts';
import { PLAN_FIELDS } from '../../src/model/plan.ts';
import { PROBLEMS } from '../../src/model/problems.ts';
import { PROPERTY_FIELDS } from '../../src/model/propertyFields.ts';

const ALL = { ...API_KEY_FIELDS, ...PLAN_FIELDS, ...PROPERTY_FIELDS };
const groups = [API_KEY_FIELDS, PLAN_FIELDS, PROPERTY_FIELDS];
const every = groups.flatMap((fields) => Object.entries(fields));
// Quotas are not part of the API.
const known = (problem: string) =>
  Object.hasOwn(PROBLEMS, problem) || Object.hasOwn(IMPORT_PROBLEMS, problem);

describe('a field', () => {
  test.each(every)('%s has a name for the API, and texts for forms', (_, field) => {
    expect(field.name).toMatch(/^[a-z][a-z_]*$/);
    expect(field.label).toMatch(/^[a-zA-Z]/);
    expect(field.help).toMatch(/^[a-zA-Z].*\.$/s);
    expect(['text', 'number', 'choice', 'boolean']).toContain(field.kind);
  });

  test.each(every)('%s has problems that the API documents', (_, field) => {
    for (const value of [Symbol('no value'), '', -1, 0.0001, 'x'.repeat(2000)]) {
      const parsed: { ok: boolean; problem?: string } = field.parse(value as never);
      if (!parsed.ok) expect(known(parsed.problem ?? '')).toBe(true);
    }
    expect(field.parse(Symbol('no value') as never).ok).toBe(false);
    if ('missing' in field) expect(known(field.missing)).toBe(true);
  });

  test('has another name than the others of its object', () => {
    for (const fields of groups) {
      const names = Object.values(fields).map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
    }
    expect(ALL.allowance.name).toBe('max_replay_count');
  });
});

describe('the names of the API', () => {
  const wording = { label: 'x', help: 'y' };
  const fields = {
    isOn: booleanField({ name: 'on', ...wording }, 'enabled-malformed'),
    isOff: booleanField({ name: 'off', ...wording }, 'enabled-malformed'),
  };

  test('stand for the keys of the code, in both directions', () => {
    const values = { isOn: true, isOff: false };
    const named = toNamedValues(fields, values);
    expect(named).toEqual({ on: true, off: false });
    expect(fromNamedValues(fields, { on: true, off: false })).toEqual(values);
    expect(toNamedFields(fields)).toEqual({ on: fields.isOn, off: fields.isOff });
  });
});

describe('how long a rotated key keeps its old secret', () => {
  test.each([
    [0, '0'],
    [3600, '1h'],
    [86_400, '24h'],
    [604_800, '7d'],
  ])('can be %d seconds', (seconds, name) => {
    expect(KEEP_OLD_FIELD.parse(seconds)).toEqual({ ok: true, value: name as never });
    expect(KEEP_OLD_FIELD.choices).toContain(seconds as never);
  });

  test.each([1, '3600', -1, null, undefined])('cannot be %p', (value) => {
    expect(KEEP_OLD_FIELD.parse(value)).toEqual({ ok: false, problem: 'keep-old-malformed' });
  });

  test('is a day if a rotation does not say so', () => {
    expect(KEEP_OLD_SECONDS[DEFAULT_KEEP_OLD]).toBe(86_400);
    expect([KEEP_OLD_FIELD.kind, KEEP_OLD_FIELD.name]).toEqual(['choice', 'keep_old_seconds']);
  });
});

test('a rate and a burst are optional, and each has its problem', () => {
  expect(parseKeyRate({})).toEqual({ ok: true, value: { rate: undefined, burst: undefined } });
  expect(parseKeyRate({ rate: 0.5, burst: 3 })).toEqual({ ok: true, value: { rate: 0.5, burst: 3 } });
  expect(parseKeyRate({ rate: 0, burst: 3 })).toEqual({ ok: false, problem: 'key-rate-malformed' });
  expect(parseKeyRate({ rate: 1, burst: 0.5 })).toEqual({ ok: false, problem: 'key-burst-malformed' });
});

test('a quota is a whole number up to a billion', () => {
  for (const { parse } of [PLAN_FIELDS.organizations, PLAN_FIELDS.properties]) {
    for (const value of [0, 1, 1_000_000_000]) expect(parse(value)).toEqual({ ok: true, value });
    for (const value of [0.5, -1, 1_000_000_001, '1'])
      expect(parse(value)).toEqual({ ok: false, problem: 'quota-malformed' });
  }
});
