import { describe, expect, test } from 'bun:test';
import { type Bodies, createBodies } from '../../../src/http/body.ts';
import {
  dayIn,
  errorOf,
  FIELD_OF_PROBLEM,
  fieldErrorOf,
  fieldOf,
  fieldsOf,
  hasTypedName,
  pageNumberOf,
  readForm,
  throttledError,
} from '../../../src/portal/kit/forms.ts';

const OWNER = 'user 1';
const URL_ENCODED = 'application/x-www-form-urlencoded';
const KIB = 1024;

/** The reader of bodies, and whose share of the memory each body used. */
function openBodies(): Bodies & { readonly owners: string[] } {
  const bodies = createBodies({ clientOf: () => '192.0.2.1' });
  const owners: string[] = [];
  return {
    ...bodies,
    owners,
    bytes(request, limit, owner) {
      owners.push(owner);
      return bodies.bytes(request, limit, owner);
    },
    anonymous(request, limit) {
      owners.push('anonymous');
      return bodies.anonymous(request, limit);
    },
  };
}

function post(body: string, type: string | undefined): Request {
  // A body of bytes has no type of its own.
  const bytes = new TextEncoder().encode(body);
  const headers = type === undefined ? {} : { 'Content-Type': type };
  return new Request('http://localhost/portal', { method: 'POST', body: bytes, headers });
}

const fieldsIn = (form: object) => ('fields' in form ? String(form.fields) : form);

describe('a form', () => {
  test.each([
    URL_ENCODED,
    `${URL_ENCODED};charset=UTF-8`,
    `${URL_ENCODED} ; charset=UTF-8`,
    'Application/X-WWW-Form-URLencoded',
  ])('of the type %s is read', async (type) => {
    for (const owner of [OWNER, undefined] as const) {
      const form = await readForm(post('name=A+%26+B&empty=', type), openBodies(), owner);
      expect(fieldsIn(form)).toBe('name=A+%26+B&empty=');
    }
  });

  test.each([
    undefined,
    'text/plain',
    'application/json',
    `x-${URL_ENCODED}`,
    `${URL_ENCODED}ed`,
    'multipart/form-data; boundary=b',
  ])('of the type %p is not read', async (type) => {
    const bodies = openBodies();
    for (const owner of [OWNER, undefined] as const)
      expect(await readForm(post('a=b', type), bodies, owner)).toEqual({ status: 415 });
    expect(bodies.owners).toEqual([]);
  });

  test('uses the memory of its user, or that of the client address if no user is signed in', async () => {
    const bodies = openBodies();
    await readForm(post('a=b', URL_ENCODED), bodies, 'user 7');
    await readForm(post('a=b', URL_ENCODED), bodies, undefined);
    expect(bodies.owners).toEqual(['user 7', 'anonymous']);
  });

  test('has at most 64 KiB', async () => {
    for (const owner of [OWNER, undefined] as const) {
      const full = `a=${'x'.repeat(64 * KIB - 2)}`;
      expect(fieldsIn(await readForm(post(full, URL_ENCODED), openBodies(), owner))).toBe(full);
      expect(await readForm(post(`${full}x`, URL_ENCODED), openBodies(), owner)).toEqual({
        status: 413,
        problem: 'body-too-large',
      });
    }
  });
});

/** A form of the media type for files. */
function multipart(parts: readonly string[], boundary = 'b'): string {
  return `${parts.map((part) => `--${boundary}\r\nContent-Disposition: form-data; ${part}\r\n`).join('')}--${boundary}--\r\n`;
}
const field = (name: string, value: string) => `name="${name}"\r\n\r\n${value}`;
const file = (name: string, value: string) => `name="${name}"; filename="a.csv"\r\n\r\n${value}`;

describe('a form with a file', () => {
  const TYPE = 'multipart/form-data; boundary=b';
  const read = (body: string, type = TYPE) => readForm(post(body, type), openBodies(), OWNER, true);

  async function contentOf(form: Awaited<ReturnType<typeof readForm>>) {
    return 'fields' in form ? [String(form.fields), form.file && new TextDecoder().decode(form.file)] : form;
  }

  test.each([
    TYPE,
    'multipart/form-data; boundary="b"',
    'multipart/form-data; charset=utf-8; boundary=b; x=y',
    'Multipart/Form-Data ;Boundary=b',
  ])('of the type %s is read', async (type) => {
    const form = await read(multipart([field('a', '1'), file('f', 'x,y'), field('c', '2')]), type);
    expect(await contentOf(form)).toEqual(['a=1&c=2', 'x,y']);
  });

  test.each([
    ['without a boundary', 'multipart/form-data; charset=utf-8'],
    ['with an empty boundary', 'multipart/form-data; boundary=""'],
    ['with a boundary of more than 70 characters', `multipart/form-data; boundary=${'b'.repeat(71)}`],
    ['of another type', 'x-multipart/form-data; boundary=b'],
  ])('%s is not read', async (_, type) => {
    expect(await read(multipart([field('a', '1')]), type)).toEqual({ status: 415 });
  });

  test('that is malformed is not read', async () => {
    expect(await read('--b\r\nno header')).toEqual({ status: 415 });
  });

  test('has only its first file, or none', async () => {
    expect(await contentOf(await read(multipart([file('f', '1'), file('g', '2')])))).toEqual(['', '1']);
    expect(await contentOf(await read(multipart([field('a', '1')])))).toEqual(['a=1', undefined]);
  });

  test('has at most 64 parts', async () => {
    const parts = Array.from({ length: 64 }, (_, n) => field(`n${n}`, String(n)));
    const form = await read(multipart(parts));
    expect('fields' in form && [...form.fields]).toHaveLength(64);
    expect(await read(multipart([...parts, field('more', '')]))).toEqual({
      status: 413,
      problem: 'body-too-large',
    });
  });

  test('has at most 1 MiB', async () => {
    const empty = multipart([file('f', '')]).length;
    const full = 'x'.repeat(KIB * KIB - empty);
    const form = await read(multipart([file('f', full)]));
    expect('fields' in form && form.file).toHaveLength(full.length);
    expect(await read(multipart([file('f', `${full}x`)]))).toEqual({
      status: 413,
      problem: 'body-too-large',
    });
  });

  test('is read only for pages that accept one, and only if a user is signed in', async () => {
    const body = multipart([field('a', '1')]);
    expect(await readForm(post(body, TYPE), openBodies(), OWNER)).toEqual({ status: 415 });
    expect(await readForm(post(body, TYPE), openBodies(), undefined, true)).toEqual({ status: 415 });
  });

  test('can have no file part at all', async () => {
    expect(fieldsIn(await read('a=b', URL_ENCODED))).toBe('a=b');
  });
});

test('a missing field is empty', () => {
  const fields = new URLSearchParams({ a: '1' });
  expect([fieldOf(fields, 'a'), fieldOf(fields, 'b')]).toEqual(['1', '']);
  expect(fieldsOf(fields, ['a', 'b'])).toEqual({ a: '1', b: '' });
});

describe('the typed name', () => {
  const long = 'x'.repeat(512);
  test.each([
    ['Acme & Co', 'Acme & Co', true],
    ['  Acme  &\tCo ', 'Acme & Co', true],
    ['Acme & Co', 'Acme  & Co', true],
    ['Cafe\u0301', 'Caf\u00e9', true],
    [` ${long} `, long, true],
    ['Acme', 'Acme & Co', false],
    ['acme', 'Acme', false],
    ['', 'Acme', false],
    [`${long}x`, `${long}x`, false],
  ])('%j confirms %j: %p', (typed, name, expected) => {
    expect(hasTypedName(new URLSearchParams({ typed_name: typed }), name)).toBe(expected);
  });

  test('has its own field', () => {
    expect(hasTypedName(new URLSearchParams({ name: 'Acme' }), 'Acme')).toBe(false);
  });
});

test.each([
  ['2026-01-31', { from: Date.UTC(2026, 0, 31), until: Date.UTC(2026, 1, 1) }],
  ['2026-02-30', undefined],
  ['2026-01-31T00:00Z', undefined],
  ['31.01.2026', undefined],
  ['', undefined],
])('the day %j in UTC is %j', (text, expected) => {
  expect(dayIn(text)).toEqual(expected as ReturnType<typeof dayIn>);
});

test.each([
  ['page=3', 3],
  ['page=999999', 999_999],
  ['page=1000000', 0],
  ['page=-1', 0],
  ['page=x1', 0],
  ['page=1x', 0],
  ['page=', 0],
  ['', 0],
])('the page of ?%s is %d', (query, expected) => {
  expect(pageNumberOf(new URLSearchParams(query))).toBe(expected);
});

describe('a problem', () => {
  test('has a sentence, and names its field unless it concerns the whole form', () => {
    const text = 'This plan does not exist.';
    expect(errorOf('plan-unknown')).toEqual({ text });
    expect(Object.keys(errorOf('plan-unknown'))).toEqual(['text']);
    expect(errorOf('plan-unknown', 'plan')).toEqual({ field: 'plan', text });
  });

  test('is shown at the field that it is about', () => {
    expect(fieldErrorOf('email-taken')).toEqual(errorOf('email-taken', 'email'));
    expect(fieldErrorOf('plan-unknown')).toEqual(errorOf('plan-unknown'));
    expect(fieldErrorOf('email-taken', { 'email-taken': 'address' })).toEqual(
      errorOf('email-taken', 'address'),
    );
  });

  // A problem of a field that no form has would be shown without a link to its field.
  test('belongs to a field that a form has', () => {
    expect([...new Set(Object.values(FIELD_OF_PROBLEM))].toSorted()).toEqual([
      'burst',
      'challenge',
      'custom_level',
      'day',
      'domain',
      'email',
      'file',
      'growth',
      'max_replay_count',
      'name',
      'password',
      'rate',
      'scope',
      'typed_name',
      'validity',
    ]);
  });
});

test.each([
  [1, 'Wait 1 second,'],
  [119, 'Wait 119 seconds,'],
  [120, 'Wait 2 minutes,'],
  [121, 'Wait 3 minutes,'],
  [900, 'Wait 15 minutes,'],
])('after too many failures, %d seconds are shown as "%s"', (seconds, expected) => {
  const { text, field } = throttledError(seconds);
  expect(text).toContain(expected);
  expect(field).toBeUndefined();
});
