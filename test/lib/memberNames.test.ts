import { describe, expect, test } from 'bun:test';
import { quoted, unknownMembers } from '../../src/lib/memberNames.ts';

describe('a quoted text', () => {
  test.each([
    ['color', '"color"'],
    ['', '""'],
    ['größe 色 👍', '"größe 色 👍"'],
    ['a"b\\c', '"a\\"b\\\\c"'],
    ['a\nb\u0000', '"a\\nb\\u0000"'],
    ['\u007f\u009b31m', '"\\u007f\\u009b31m"'],
    ['\u202eadmin\u200b', '"\\u202eadmin\\u200b"'],
    ['a\u2028b\u00a0', '"a\\u2028b\\u00a0"'],
    ['\u{e0041}', '"\\udb40\\udc41"'],
    ['a\ud800b', '"a\ufffdb"'],
    ['x'.repeat(40), `"${'x'.repeat(40)}"`],
    ['x'.repeat(41), `"${'x'.repeat(40)}..."`],
    [`${'x'.repeat(39)}👍`, `"${'x'.repeat(39)}\ufffd..."`],
  ])('of %j is %s', (text, expected) => {
    expect(quoted(text)).toBe(expected);
  });

  test('has a bounded length', () => {
    expect(quoted('\u0001'.repeat(100_000)).length).toBe(2 + 40 * '\\u0001'.length + 3);
  });
});

test('unknown members are returned in the order of the object, including special names such as `__proto__`', () => {
  const value: object = JSON.parse('{"name":1,"b":2,"__proto__":3,"toString":4,"a\\n":5}');
  expect([...unknownMembers(value, ['name', 'other'])]).toEqual([
    '"b"',
    '"__proto__"',
    '"toString"',
    '"a\\n"',
  ]);
  expect([...unknownMembers({ name: 1 }, ['name', 'other'])]).toEqual([]);
});
