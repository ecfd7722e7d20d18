import { describe, expect, test } from 'bun:test';
import { PROBLEMS } from '../../src/model/problems.ts';
import { DEFAULT_SETTINGS, PROPERTY_FIELDS, SETTING_FIELDS } from '../../src/model/propertyFields.ts';

test('the fields have the names, ranges, and choices of the API', () => {
  const facts = Object.entries(PROPERTY_FIELDS).map(([key, field]) => {
    if (field.kind === 'number') return [key, field.name, field.min, field.max];
    return field.kind === 'choice' ? [key, field.name, ...field.choices] : [key, field.name];
  });
  expect(facts).toEqual([
    ['name', 'name'],
    ['domain', 'domain'],
    ['level', 'level', 1, 255],
    ['growth', 'growth', 'constant', 'slow', 'medium', 'fast'],
    ['challenge', 'challenge', 'blake2b', 'argon2id', 'hashwx'],
    ['validitySeconds', 'validity_seconds', 60, 172_800],
    ['allowsSubdomains', 'allow_subdomains'],
    ['allowsLocalhost', 'allow_localhost'],
    ['allowance', 'max_replay_count', 1, 1_000_000],
    ['isEnabled', 'enabled'],
  ]);
});

test.each(Object.keys(SETTING_FIELDS))('%s accepts its default', (key) => {
  const setting = key as keyof typeof SETTING_FIELDS;
  const value = DEFAULT_SETTINGS[setting];
  expect(SETTING_FIELDS[setting].parse(value)).toEqual({ ok: true, value } as never);
});

test.each(Object.values(SETTING_FIELDS))(
  'the problem of $name names the field and what it accepts',
  (field) => {
    const parsed = field.parse(null);
    const { sentence } = PROBLEMS[parsed.ok ? 'internal-error' : parsed.problem];
    const accepted = {
      number: 'min' in field ? [`from ${field.min} to ${field.max}.`, 'whole number'] : [],
      choice: 'choices' in field ? field.choices : [],
      boolean: ['true or false'],
    };
    for (const text of [field.name, ...accepted[field.kind]]) expect(sentence).toContain(text);
  },
);

describe.each(['level', 'validitySeconds', 'allowance'] as const)('the setting %s', (setting) => {
  const { min, max, parse } = SETTING_FIELDS[setting];

  test('accepts its bounds', () => {
    for (const value of [min, max]) expect(parse(value)).toEqual({ ok: true, value });
  });

  test('rejects values outside of its bounds, and values that are not integers', () => {
    const problem = { level: 'level', validitySeconds: 'validity', allowance: 'allowance' }[setting];
    const invalid = [
      ...[min - 1, max + 1, -1, min + 0.5, Number.NaN, Number.POSITIVE_INFINITY],
      ...[String(min), null, [min], true],
    ];
    for (const value of invalid) {
      expect<unknown>(parse(value)).toEqual({ ok: false, problem: `${problem}-malformed` });
    }
  });
});

test.each([['FAST'], [''], [null], [1], [['fast']]])('the growth %j is unknown', (value) => {
  expect(PROPERTY_FIELDS.growth.parse(value)).toEqual({ ok: false, problem: 'growth-unknown' });
});

test.each([['Argon2id'], ['argon2'], ['argon2d'], [''], [null], [1], [['argon2id']]])(
  'the kind of work %j is unknown',
  (value) => {
    expect(PROPERTY_FIELDS.challenge.parse(value)).toEqual({ ok: false, problem: 'challenge-unknown' });
  },
);

test.each([['true'], [1], [0], [null], ['']])('%j is neither true nor false', (value) => {
  const { allowsSubdomains, allowsLocalhost, isEnabled } = SETTING_FIELDS;
  expect(allowsSubdomains.parse(value)).toEqual({ ok: false, problem: 'allow-subdomains-malformed' });
  expect(allowsLocalhost.parse(value)).toEqual({ ok: false, problem: 'allow-localhost-malformed' });
  expect(isEnabled.parse(value)).toEqual({ ok: false, problem: 'enabled-malformed' });
});
