import { beforeAll, describe, expect, test } from 'bun:test';
import { type Instant, later, MINUTE, SECOND, toIso } from '../../src/lib/time.ts';
import { INSTALLATION } from '../../src/model/actor.ts';
import { addKey, addTenant, expectOk, startServer, type Tenant } from '../support/server.ts';
import { useServer, useTenant } from '../support/useServer.ts';
import { fetchAndSolve, fetchPuzzle, solve, verify } from '../support/visitor.ts';
import {
  solvedAgain,
  withDuplicates,
  withFlippedBit,
  withoutMetadata,
  withPart,
  withWrongNonce,
} from './payload.ts';
import { type Ask, runScenarios, type Scenario, send, sendRaw } from './scenario.ts';

/** A key of the tenant that is limited to the second organization. */
let otherScopeKey: string;
let ownScopeKey: string;

const TEST_SITEKEY = 'aaaaaaaabbbbccccddddeeeeeeeeeeee';
/** Low enough to solve quickly, high enough that no nonce passes by chance. */
const LEVEL = 64;

const server = useServer();
/** Owns `property` and a second organization. */
const tenant = useTenant(server, { level: LEVEL });
const otherTenant = useTenant(server, { level: LEVEL });
beforeAll(async () => {
  const { services } = server.app;
  const other = expectOk(
    await services.organizations.create(INSTALLATION, { name: 'Second', ownerId: tenant.account.id }),
  );
  otherScopeKey = await addKey(services, tenant.account, 'verify', { organizationId: other.id });
  ownScopeKey = await addKey(services, tenant.account, 'verify', { organizationId: tenant.organization.id });
});

const payload = () => fetchAndSolve(server.url, tenant.property.sitekey);

async function post(
  body: string | Promise<string>,
  headers: Record<string, string> = {},
  key: string = tenant.verifyKey,
): Promise<Ask> {
  return {
    path: '/verify',
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': 'text/plain', ...headers },
    body: await body,
  };
}

/** The format of every response. */
function verdict(success: boolean, code: number, origin: string): object {
  return { success, code, origin, timestamp: toIso(server.clock.now) };
}

type Row = Omit<Scenario, 'json' | 'status'> & {
  readonly code: number;
  readonly success?: boolean;
  readonly status?: number;
  readonly origin?: string;
};

function scenarioOf({ code, success = false, status = 200, origin = '', ...row }: Row): Scenario {
  return {
    headers: { 'Content-Type': /application\/json/, 'Cache-Control': 'no-store' },
    ...row,
    status,
    json: {
      success,
      code,
      origin,
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    },
    hasNot: [...(row.hasNot ?? []), 'meta', 'description'],
  };
}

function codes(rows: readonly Row[]): void {
  runScenarios(server, rows.map(scenarioOf));
}

async function disabled(): Promise<Tenant> {
  const created = await addTenant(server, { level: 1 });
  return created;
}

async function sqlOf(statement: string, sitekey: string): Promise<void> {
  await server.raw.query(statement, [sitekey]);
}

const DISABLE = 'UPDATE properties SET is_enabled = FALSE WHERE sitekey = ?';
const DELETE = 'UPDATE properties SET deleted_at = 1 WHERE sitekey = ?';

/** A solution of a property that changes after the puzzle was issued and before the property is cached. */
async function afterwards(statement: string, key?: (owner: Tenant) => string): Promise<Ask> {
  const owner = await disabled();
  const solved = await fetchAndSolve(server.url, owner.property.sitekey);
  await sqlOf(statement, owner.property.sitekey);
  // Any write through a store invalidates the caches.
  await addKey(server.app.services, owner.account, 'verify');
  return post(solved, {}, key?.(owner) ?? owner.verifyKey);
}

async function expired(alter: (solved: string) => string = (solved) => solved, headers = {}): Promise<Ask> {
  const puzzle = await fetchPuzzle(server.url, tenant.property.sitekey);
  server.clock.now = later(server.clock.now, 1800 * SECOND);
  return post(alter(solve(puzzle)), headers);
}

describe('a verdict', () => {
  codes([
    {
      title: 'has code 0 for the first verification',
      ask: () => post(payload()),
      code: 0,
      success: true,
      origin: 'example.com',
      claims: 1,
    },
    {
      title: 'has code 0 with a key that is limited to the organization',
      ask: () => post(payload(), {}, ownScopeKey),
      code: 0,
      success: true,
      origin: 'example.com',
      claims: 1,
    },
    {
      title: 'has code 0 without metadata',
      ask: async () => post(withoutMetadata(await payload())),
      code: 0,
      success: true,
      origin: 'example.com',
      claims: 1,
    },
    {
      title: 'has code 1 for a disabled property',
      ask: () => afterwards(DISABLE),
      code: 1,
      origin: 'example.com',
    },
    {
      title: 'has code 2 for a duplicate solution',
      ask: async () => post(withDuplicates(await payload())),
      code: 2,
      origin: 'example.com',
    },
    {
      title: 'has code 3 if the first nonce is wrong',
      ask: async () => post(withWrongNonce(await payload(), 0)),
      code: 3,
      origin: 'example.com',
    },
    {
      title: 'has code 3 if the last nonce is wrong',
      ask: async () => post(withWrongNonce(await payload(), 15)),
      code: 3,
      origin: 'example.com',
    },
    { title: 'has code 4 for an invalid payload', ask: () => post('nonsense'), code: 4, status: 400 },
    { title: 'has code 5 at the second of expiration', ask: () => expired(), code: 5, origin: 'example.com' },
    {
      title: 'has code 0 right before the expiration',
      ask: async () => {
        const puzzle = await fetchPuzzle(server.url, tenant.property.sitekey);
        const issuedAt = Math.floor(server.clock.now / SECOND) * SECOND;
        server.clock.now = (issuedAt + 1800 * SECOND - 1) as Instant;
        return post(solve(puzzle));
      },
      code: 0,
      success: true,
      origin: 'example.com',
      claims: 1,
    },
    {
      title: 'has code 6 for a deleted property',
      ask: () => afterwards(DELETE),
      code: 6,
      origin: 'example.com',
    },
    {
      title: 'has code 6 if another sitekey is expected',
      ask: () => post(payload(), { 'X-PC-Sitekey': otherTenant.property.sitekey }),
      code: 6,
      origin: 'example.com',
    },
    {
      title: 'has code 7 with a key of another user',
      ask: () => post(payload(), {}, otherTenant.verifyKey),
      code: 7,
      origin: 'example.com',
    },
    {
      title: 'has code 8 for the second verification',
      ask: async () => {
        const solved = await payload();
        await verify(server.url, tenant.verifyKey, solved);
        return post(solved);
      },
      code: 8,
      origin: 'example.com',
    },
    {
      title: 'has code 10 for the test property',
      ask: async () => post(solve(await fetchPuzzle(server.url, TEST_SITEKEY))),
      code: 10,
      success: true,
    },
    {
      title: 'has code 10 for the test property without metadata',
      ask: async () => post(withoutMetadata(solve(await fetchPuzzle(server.url, TEST_SITEKEY)))),
      code: 10,
      success: true,
    },
    {
      title: 'has code 10 for the test property with any solutions',
      ask: async () =>
        post(
          withPart(solve(await fetchPuzzle(server.url, TEST_SITEKEY)), 'solutions', (bytes) =>
            bytes.fill(7, 7),
          ),
        ),
      code: 10,
      success: true,
    },
    {
      title: 'has code 11 for a changed puzzle',
      ask: async () => post(withFlippedBit(await payload(), 'puzzle', 20)),
      code: 11,
    },
    {
      title: 'has code 12 with a key that is limited to another organization of the user',
      ask: () => post(payload(), {}, otherScopeKey),
      code: 12,
      origin: 'example.com',
    },
  ]);

  test('has code 8 for permitted repeats, which succeed, and for further ones, which do not', async () => {
    const { property, verifyKey } = await addTenant(server, { allowance: 3 });
    const solved = await fetchAndSolve(server.url, property.sitekey);
    const seen = [];
    for (let i = 0; i < 5; i++) {
      const { success, code, origin } = await verify(server.url, verifyKey, solved);
      seen.push([success, code, origin]);
    }
    const host = 'example.com';
    expect(seen).toEqual([
      [true, 0, host],
      [true, 8, host],
      [true, 8, host],
      [false, 8, host],
      [false, 8, host],
    ]);
  });

  test('has code 8 for another solution of the same puzzle', async () => {
    const solved = await payload();
    expect(await verify(server.url, tenant.verifyKey, solved)).toMatchObject({ code: 0 });
    for (const again of [
      solvedAgain(solved),
      withoutMetadata(solved),
      withFlippedBit(solved, 'solutions', 3),
    ]) {
      expect(again).not.toBe(solved);
      expect(await verify(server.url, tenant.verifyKey, again)).toMatchObject({ success: false, code: 8 });
    }
  });

  test('has the host of the page, without port, as origin', async () => {
    const { property, verifyKey } = await addTenant(server, {
      allowsSubdomains: true,
      allowsLocalhost: true,
    });
    const rows = [
      ['https://Shop.Example.com:8443', 'shop.example.com'],
      ['http://localhost:3000', 'localhost'],
      ['http://[::1]:3000', '[::1]'],
      ['https://example.com.', 'example.com'],
    ] as const;
    for (const [page, origin] of rows) {
      const solved = await fetchAndSolve(server.url, property.sitekey, page);
      expect(await verify(server.url, verifyKey, solved)).toMatchObject({ code: 0, origin });
    }
  });

  test('has the current time in UTC as timestamp', async () => {
    server.clock.now = later(server.clock.now, 61 * MINUTE + 1);
    const response = await send(server.url, await post(payload()));
    expect(await response.json()).toEqual(verdict(true, 0, 'example.com'));
  });

  test('has four members', async () => {
    const response = await send(server.url, await post('x'));
    expect(Object.keys((await response.json()) as object).sort()).toEqual([
      'code',
      'origin',
      'success',
      'timestamp',
    ]);
  });
});

describe('the first failure determines the code:', () => {
  const wrong = { 'X-PC-Sitekey': 'f'.repeat(32) };
  const own = () => tenant.property.sitekey;
  codes([
    {
      title: 'a missing key before an invalid payload',
      ask: () => post('nonsense', {}, 'x'.repeat(40)),
      code: 1,
      status: 401,
    },
    {
      title: 'a wrong scope before an invalid payload',
      ask: () => post('nonsense', {}, tenant.portalKey),
      code: 1,
      status: 403,
    },
    {
      title: 'a format before a signature',
      ask: async () => post(`${withFlippedBit(await payload(), 'puzzle', 20)}.`),
      code: 4,
      status: 400,
    },
    {
      title: 'a signature before expiration',
      ask: () => expired((solved) => withFlippedBit(solved, 'puzzle', 20)),
      code: 11,
    },
    {
      title: 'expiration before the expected sitekey',
      ask: () => expired(undefined, wrong),
      code: 5,
      origin: 'example.com',
    },
    {
      title: 'expiration before duplicates',
      ask: () => expired(withDuplicates),
      code: 5,
      origin: 'example.com',
    },
    {
      title: 'the expected sitekey before the owner',
      ask: () => post(payload(), wrong, otherTenant.verifyKey),
      code: 6,
      origin: 'example.com',
    },
    {
      title: 'a deleted property before the owner',
      ask: () => afterwards(DELETE, () => otherTenant.verifyKey),
      code: 6,
      origin: 'example.com',
    },
    {
      title: 'a disabled property before the owner',
      ask: () => afterwards(DISABLE, () => otherTenant.verifyKey),
      code: 1,
      origin: 'example.com',
    },
    {
      title: 'the owner before duplicates',
      ask: async () => post(withDuplicates(await payload()), {}, otherTenant.verifyKey),
      code: 7,
      origin: 'example.com',
    },
    {
      title: 'the scope before duplicates',
      ask: async () => post(withDuplicates(await payload()), {}, otherScopeKey),
      code: 12,
      origin: 'example.com',
    },
    {
      title: 'duplicates before wrong nonces',
      ask: async () => post(withDuplicates(withWrongNonce(await payload(), 5))),
      code: 2,
      origin: 'example.com',
    },
    {
      title: 'wrong nonces before a repeat',
      ask: async () => {
        const solved = await payload();
        await verify(server.url, tenant.verifyKey, solved);
        return post(withWrongNonce(solved, 3));
      },
      code: 3,
      origin: 'example.com',
    },
    {
      title: 'the test property before its signature',
      ask: async () =>
        post(
          withFlippedBit(solve(await fetchPuzzle(server.url, TEST_SITEKEY)), 'signature', 0),
          {},
          otherScopeKey,
        ),
      code: 10,
      success: true,
    },
    {
      title: 'another expected sitekey before the test property',
      ask: async () => post(solve(await fetchPuzzle(server.url, TEST_SITEKEY)), { 'X-PC-Sitekey': own() }),
      code: 6,
    },
    {
      title: 'the format before the test property',
      ask: async () =>
        post(
          withPart(solve(await fetchPuzzle(server.url, TEST_SITEKEY)), 'solutions', (bytes) =>
            bytes.slice(8),
          ),
        ),
      code: 4,
      status: 400,
    },
    {
      title: '7 + 128 zero bytes for the test property',
      ask: async () =>
        post(`${Buffer.alloc(7 + 128).toString('base64')}.${await fetchPuzzle(server.url, TEST_SITEKEY)}`),
      code: 10,
      success: true,
    },
    {
      title: '7 zero bytes before the solutions of another property',
      ask: async () =>
        post(
          withPart(await payload(), 'solutions', (bytes) =>
            Buffer.concat([new Uint8Array(7), bytes.slice(-128)]),
          ),
        ),
      code: 4,
      status: 400,
    },
    {
      title: 'a payload after a byte order mark is invalid',
      ask: async () => post(`\ufeff${await payload()}`),
      code: 4,
      status: 400,
    },
    {
      title: 'a zero puzzle id alone does not select the test property',
      ask: async () =>
        post(
          withPart(await payload(), 'puzzle', (bytes) => {
            bytes.fill(0, 17);
            bytes[26] = 16;
            return bytes;
          }),
        ),
      code: 11,
    },
  ]);
});

describe('the expected sitekey', () => {
  const write: readonly (readonly [how: string, headers: () => Record<string, string>, code: number])[] = [
    ['in X-PC-Sitekey', () => ({ 'X-PC-Sitekey': tenant.property.sitekey }), 0],
    ['in X-Sitekey', () => ({ 'X-Sitekey': tenant.property.sitekey }), 0],
    ['in uppercase', () => ({ 'X-PC-Sitekey': tenant.property.sitekey.toUpperCase() }), 0],
    ['empty, which counts as missing', () => ({ 'X-PC-Sitekey': '', 'X-Sitekey': '' }), 0],
    ['of another property in X-Sitekey', () => ({ 'X-Sitekey': otherTenant.property.sitekey }), 6],
    ['that is invalid', () => ({ 'X-PC-Sitekey': 'nonsense' }), 6],
    ['of the test property', () => ({ 'X-PC-Sitekey': TEST_SITEKEY }), 6],
    [
      'in X-PC-Sitekey, which has precedence',
      () => ({ 'X-PC-Sitekey': otherTenant.property.sitekey, 'X-Sitekey': tenant.property.sitekey }),
      6,
    ],
  ];
  codes(
    write.map(([how, headers, code]) => ({
      title: how,
      ask: () => post(payload(), headers()),
      code,
      success: code === 0,
      origin: 'example.com',
      claims: code === 0 ? 1 : 0,
    })),
  );
});

describe('a changed payload', () => {
  test('is rejected for any flipped bit of puzzle or signature, and does not use up the solution', async () => {
    const solved = await payload();
    const sizes = { puzzle: 47, signature: 54 };
    for (const [part, size] of [
      ['puzzle', sizes.puzzle],
      ['signature', sizes.signature],
    ] as const) {
      for (let at = 0; at < size; at++) {
        const { success, code } = await verify(
          server.url,
          tenant.verifyKey,
          withFlippedBit(solved, part, at),
        );
        expect({ part, at, success, isRejected: [4, 11].includes(code) }).toEqual({
          part,
          at,
          success: false,
          isRejected: true,
        });
      }
    }
    expect(await verify(server.url, tenant.verifyKey, solved)).toMatchObject({ code: 0, success: true });
  });

  codes([
    {
      title: 'a lower difficulty',
      ask: async () => post(withPart(await payload(), 'puzzle', (b) => b.fill(0, 25, 26))),
      code: 11,
    },
    {
      title: 'a later expiration',
      ask: async () => post(withPart(await payload(), 'puzzle', (b) => b.fill(255, 27, 31))),
      code: 11,
    },
    {
      title: 'another signature version',
      ask: async () => post(withFlippedBit(await payload(), 'signature', 0)),
      code: 11,
    },
    {
      title: 'an unknown signing key',
      ask: async () => post(withFlippedBit(await payload(), 'signature', 2)),
      code: 11,
    },
    {
      title: 'another host',
      ask: async () => post(withFlippedBit(await payload(), 'signature', 12)),
      code: 11,
      hasNot: ['dxample'],
    },
    {
      title: 'the signature of another puzzle',
      ask: async () => {
        const [one, two] = [await payload(), await payload()];
        return post([...one.split('.').slice(0, 2), two.split('.')[2]].join('.'));
      },
      code: 11,
    },
    {
      title: 'the puzzle of another property',
      ask: async () => {
        const other = await fetchAndSolve(server.url, otherTenant.property.sitekey);
        const [solutions, , signature] = (await payload()).split('.');
        return post([solutions, other.split('.')[1], signature].join('.'));
      },
      code: 11,
    },
    {
      title: 'the solutions of another puzzle',
      ask: async () => {
        const [one, two] = [await payload(), await payload()];
        return post([one.split('.')[0], ...two.split('.').slice(1)].join('.'));
      },
      code: 3,
      origin: 'example.com',
    },
    {
      title: 'all zero solutions',
      ask: async () => post(withPart(await payload(), 'solutions', (b) => b.fill(0, 7))),
      code: 2,
      origin: 'example.com',
    },
    {
      title: 'no MAC at all',
      ask: async () => post(withPart(await payload(), 'signature', (b) => b.slice(0, -32))),
      code: 4,
      status: 400,
    },
    {
      title: 'a MAC of zeros',
      ask: async () => post(withPart(await payload(), 'signature', (b) => b.fill(0, b.length - 32))),
      code: 11,
    },
  ]);
});

describe('an invalid payload gets code 4:', () => {
  const parts = async () => (await payload()).split('.') as [string, string, string];
  const alter = (title: string, write: (solved: string) => string): Row => ({
    title,
    ask: async () => post(write(await payload())),
    code: 4,
    status: 400,
  });
  codes([
    { title: 'an empty body', ask: () => post(''), code: 4, status: 400 },
    { title: 'only line breaks', ask: () => post('\r\n\r\n'), code: 4, status: 400 },
    { title: 'two dots', ask: () => post('..'), code: 4, status: 400 },
    { title: 'only dots', ask: () => post('.'.repeat(1000)), code: 4, status: 400 },
    {
      title: 'JSON',
      ask: async () => post(JSON.stringify({ solution: await payload() })),
      code: 4,
      status: 400,
    },
    { title: 'a form', ask: async () => post(`solution=${await payload()}`), code: 4, status: 400 },
    {
      title: 'percent-encoded',
      ask: async () => post(encodeURIComponent(await payload())),
      code: 4,
      status: 400,
    },
    { title: 'two parts', ask: async () => post((await parts()).slice(1).join('.')), code: 4, status: 400 },
    alter('four parts', (solved) => `${solved}.AAAA`),
    alter('an empty first part', (solved) => solved.slice(solved.indexOf('.'))),
    alter('an empty signature', (solved) => solved.slice(0, solved.lastIndexOf('.') + 1)),
    alter('a leading space', (solved) => ` ${solved}`),
    alter('a leading line break', (solved) => `\n${solved}`),
    alter('a trailing space', (solved) => `${solved} `),
    alter('a line break in the middle', (solved) => `${solved.slice(0, 76)}\r\n${solved.slice(76)}`),
    alter('a trailing NUL', (solved) => `${solved}\0`),
    alter('quotation marks', (solved) => `"${solved}"`),
    // Without plus signs and slashes, the puzzle would be valid base64url.
    alter('without padding', (solved) => solved.replace(/\..{4}/, '.+/+/').replaceAll('=', '')),
    alter('additional padding', (solved) => solved.replace('.', '=.')),
    alter('both base64 alphabets', (solved) => `${solved.slice(0, 20)}+_-/${solved.slice(24)}`),
    // The last character of the puzzle has two unused bits.
    alter('unused bits that are set', (solved) =>
      solved.replace(/(.)=\./, (_, last: string) => `${next(last)}=.`),
    ),
    alter('a Cyrillic letter', (solved) => solved.replace(/A/, 'А')),
    alter('fifteen solutions', (solved) => withPart(solved, 'solutions', (b) => b.slice(0, -8))),
    alter('seventeen solutions', (solved) =>
      withPart(solved, 'solutions', (b) => Buffer.concat([b, b.subarray(0, 8)])),
    ),
    alter('a byte too many', (solved) =>
      withPart(solved, 'solutions', (b) => Buffer.concat([b, b.subarray(0, 1)])),
    ),
    alter('no solutions', (solved) => withPart(solved, 'solutions', (b) => b.slice(0, 7))),
    alter('unknown metadata', (solved) => withPart(solved, 'solutions', (b) => b.fill(2, 0, 1))),
    alter('a puzzle of version 0', (solved) => withPart(solved, 'puzzle', (b) => b.fill(0, 0, 1))),
    alter('a puzzle of version 255', (solved) => withPart(solved, 'puzzle', (b) => b.fill(255, 0, 1))),
    alter('a puzzle without solutions', (solved) =>
      withPart(
        withPart(solved, 'puzzle', (b) => b.fill(0, 26, 27)),
        'solutions',
        (b) => b.slice(0, 7),
      ),
    ),
    alter('a puzzle too short', (solved) => withPart(solved, 'puzzle', (b) => b.slice(0, 46))),
    alter('a puzzle too long', (solved) => withPart(solved, 'puzzle', (b) => Buffer.concat([b, b]))),
    alter('a signature too short', (solved) => withPart(solved, 'signature', (b) => b.slice(0, 42))),
    alter('a signature too long', (solved) => withPart(solved, 'signature', () => new Uint8Array(1000))),
    { title: 'a body of the maximum size', ask: () => post('A'.repeat(65_536)), code: 4, status: 400 },
    { title: 'characters beyond ASCII', ask: () => post('\u{fffd}\u{1f600}'), code: 4, status: 400 },
    {
      title: 'bytes that are not text',
      ask: async () => ({ ...(await post('')), body: Uint8Array.from({ length: 256 }, (_, i) => 255 - i) }),
      code: 4,
      status: 400,
    },
    {
      title: 'a payload in UTF-16',
      ask: async () => ({
        ...(await post('')),
        body: new Uint8Array(Buffer.from(await payload(), 'utf16le')),
      }),
      code: 4,
      status: 400,
    },
  ]);
});

/** @returns the base64 character with the lowest bit flipped */
function next(character: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  return alphabet[alphabet.indexOf(character) ^ 1] as string;
}

describe('the body is accepted with any Content-Type:', () => {
  const types = [
    'text/plain',
    'text/plain; charset=iso-8859-1',
    'application/x-www-form-urlencoded',
    'application/json',
    'application/json; charset=utf-16',
    'multipart/form-data',
    'multipart/form-data; boundary=x',
    'application/octet-stream',
    'nonsense',
    '',
  ];
  const withPlus = async () => {
    // A form parser would turn the plus sign into a space.
    for (;;) {
      const solved = await payload();
      if (solved.includes('+')) return solved;
    }
  };
  const accepted = (title: string, ask: Scenario['ask']): Row => ({
    title,
    ask,
    code: 0,
    success: true,
    origin: 'example.com',
    claims: 1,
  });
  codes([
    ...types.map((type) =>
      accepted(type || 'an empty one', () => post(withPlus(), { 'Content-Type': type })),
    ),
    accepted('without one', async () => ({
      path: '/verify',
      method: 'POST',
      headers: { 'X-API-Key': tenant.verifyKey },
      body: new TextEncoder().encode(await withPlus()),
    })),
    accepted('in chunks', async () => {
      const text = await payload();
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          for (const piece of text.match(/.{1,50}/gs) ?? [])
            controller.enqueue(new TextEncoder().encode(piece));
          controller.close();
        },
      });
      return { ...(await post('')), body };
    }),
    ...['\n', '\r\n', '\n\n\r\r\n'].map((end) =>
      accepted(`with ${JSON.stringify(end)} at its end`, async () => post(`${await payload()}${end}`)),
    ),
    accepted('with a query and a trailing slash of the path', async () => ({
      ...(await post(payload())),
      path: '/verify/?hl=de',
    })),
    accepted('lowercase header names', async () => ({
      ...(await post(payload())),
      headers: { 'x-api-key': tenant.verifyKey },
    })),
  ]);
});

describe('a body that is too large', () => {
  const tooLarge = 'A'.repeat(65_537);
  codes([
    { title: 'gets 413 and a verdict', ask: () => post(tooLarge), code: 1, status: 413 },
    {
      title: 'gets 413 in chunks',
      ask: async () => ({
        ...(await post('')),
        body: new Blob([tooLarge]).stream() as ReadableStream<Uint8Array>,
      }),
      code: 1,
      status: 413,
    },
    { title: 'gets 401 with an invalid key', ask: () => post(tooLarge, {}, 'no'), code: 1, status: 401 },
  ]);

  test('ends the connection; without a key, the rest is dropped and the connection remains', async () => {
    const key = `Host: localhost\r\nX-API-Key: ${tenant.verifyKey}\r\n`;
    const after = 'GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
    const ways = [
      `POST /verify HTTP/1.1\r\n${key}Content-Length: 65537\r\n\r\n${tooLarge}`,
      `POST /verify HTTP/1.1\r\n${key}Transfer-Encoding: chunked\r\n\r\n10001\r\n${tooLarge}\r\n0\r\n\r\n`,
      `POST /verify HTTP/1.1\r\nHost: localhost\r\nContent-Length: 65537\r\n\r\n${tooLarge}`,
    ];
    for (const way of ways) {
      const answer = await sendRaw(server, way, after);
      const statuses = [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map((match) => match[1]);
      expect(statuses).toEqual(way === ways[2] ? ['401', '200'] : ['413']);
    }
  });
});

describe('an API key', () => {
  const rows: readonly (readonly [what: string, key: () => string | Promise<string>, status: number])[] = [
    ['that is empty', () => '', 401],
    ['that is too short', () => 'x'.repeat(31), 401],
    ['that is unknown', () => 'x'.repeat(40), 401],
    ['that is very long', () => 'x'.repeat(4000), 401],
    [
      'with a wrong checksum',
      () => `${tenant.verifyKey.slice(0, -1)}${tenant.verifyKey.endsWith('0') ? '1' : '0'}`,
      401,
    ],
    ['that is incomplete', () => tenant.verifyKey.slice(0, -1), 401],
    ['in uppercase', () => tenant.verifyKey.toUpperCase(), 401],
    ['given twice', () => `${tenant.verifyKey}, ${tenant.verifyKey}`, 401],
    ['with SQL', () => `' OR '1'='1' -- ${'x'.repeat(20)}`, 401],
    ['replaced by a sitekey', () => tenant.property.sitekey, 401],
    ['of scope portal', () => tenant.portalKey, 403],
    [
      'that has expired',
      async () => {
        const expiresAt = later(server.clock.now, MINUTE);
        const key = await addKey(server.app.services, tenant.account, 'verify', { expiresAt });
        expect(await verify(server.url, key, 'x')).toMatchObject({ status: 400 });
        server.clock.now = expiresAt;
        return key;
      },
      401,
    ],
    [
      'that was revoked after it was cached',
      async () => {
        const key = await addKey(server.app.services, tenant.account, 'verify');
        expect(await verify(server.url, key, 'x')).toMatchObject({ status: 400 });
        const created = (await server.app.services.apiKeys.list(INSTALLATION, tenant.account)).at(-1);
        if (created !== undefined)
          expectOk(await server.app.services.apiKeys.revoke(INSTALLATION, created.id));
        return key;
      },
      401,
    ],
  ];
  codes(
    rows.map(([what, key, status]) => ({
      title: `${what} gets ${status} and does not use up the solution`,
      ask: async () => post(payload(), {}, await key()),
      code: 1,
      status,
    })),
  );
  codes([
    {
      title: 'that is missing gets 401',
      ask: async () => ({ path: '/verify', method: 'POST', body: await payload() }),
      code: 1,
      status: 401,
    },
    {
      title: 'in another header gets 401',
      ask: async () => ({
        path: `/verify?key=${tenant.verifyKey}`,
        method: 'POST',
        headers: { Authorization: `Bearer ${tenant.verifyKey}` },
        body: await payload(),
      }),
      code: 1,
      status: 401,
    },
  ]);

  test('that was rotated without keeping it stops immediately, and the new one works', async () => {
    const old = await addKey(server.app.services, tenant.account, 'verify');
    expect(await verify(server.url, old, 'x')).toMatchObject({ status: 400 });
    const created = (await server.app.services.apiKeys.list(INSTALLATION, tenant.account)).at(-1);
    if (created === undefined) throw new Error('no key');
    const { secret } = expectOk(await server.app.services.apiKeys.rotate(INSTALLATION, created.id, '0'));
    expect(await verify(server.url, old, await payload())).toMatchObject({ status: 401 });
    expect(await verify(server.url, secret, await payload())).toMatchObject({ code: 0 });
  });

  test('of a member works until the member is removed', async () => {
    const { services } = server.app;
    const member = await addTenant(server);
    const asMember = async () => (await verify(server.url, member.verifyKey, await payload())).code;
    expect(await asMember()).toBe(7);
    expectOk(await services.members.add(INSTALLATION, tenant.organization.id, member.account));
    expect(await asMember()).toBe(0);
    expectOk(await services.members.remove(INSTALLATION, tenant.organization.id, member.account.id));
    expect(await asMember()).toBe(7);
  });
});

describe('signing keys', () => {
  test('can be rotated while two servers share a folder, and each accepts the puzzles of the other', async () => {
    const other = await startServer({ dataDir: server.dataDir });
    other.clock.now = server.clock.now;
    await server.app.services.signingKeys.rotate(INSTALLATION);
    const solved = await payload();
    expect(await verify(other.url, tenant.verifyKey, solved)).toMatchObject({ code: 0 });
    await other.stop();
  });

  test('can be rotated, and older puzzles stay valid', async () => {
    const before = await payload();
    await server.app.services.signingKeys.rotate(INSTALLATION);
    const between = await payload();
    server.clock.now = later(server.clock.now, SECOND);
    const after = await payload();
    const keyOf = (solved: string) =>
      Buffer.from(solved.split('.')[2] ?? '', 'base64')
        .subarray(2, 6)
        .toString('hex');
    // For a second the new key only verifies, until other processes have read it.
    expect(keyOf(between)).toBe(keyOf(before));
    expect(keyOf(after)).not.toBe(keyOf(before));
    for (const solved of [before, between, after]) {
      expect(await verify(server.url, tenant.verifyKey, solved)).toMatchObject({ code: 0 });
    }
  });
});

describe('concurrent responses', () => {
  test('are separate', async () => {
    const asked = Array.from({ length: 100 }, async (_, i) => {
      const solved = i % 2 === 0 ? await payload() : 'nonsense';
      const response = await send(server.url, await post(solved, { 'X-Request-Id': `id-${i}` }));
      expect(response.headers.get('x-request-id')).toBe(`id-${i}`);
      expect(response.headers.get('x-trace-id')).toBe(`id-${i}`);
      expect(await response.json()).toMatchObject({ code: i % 2 === 0 ? 0 : 4 });
    });
    await Promise.all(asked);
  });
});
