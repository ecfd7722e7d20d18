import { describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { ORIGIN_MAX_LENGTH } from '../../../src/captcha/origin.ts';
import { HOUR, type Instant } from '../../../src/lib/time.ts';
import type { AccountId } from '../../../src/model/account.ts';
import type { Sitekey } from '../../../src/model/property.ts';
import type { SessionId } from '../../../src/model/session.ts';
import { createOpaqueIds } from '../../../src/platform/opaqueId.ts';
import { ONE_TIME_TOKEN_FIELD } from '../../../src/portal/components/form.tsx';
import {
  createFormTokens,
  createOneTimeTokens,
  createTrialTokens,
  isFromUs,
} from '../../../src/portal/kit/tokens.ts';
import { createMemoryUsedForms } from '../../../src/storage/memory.ts';

const signWith = (secret: string) => (text: string) =>
  new Uint8Array(createHmac('sha256', secret).update(text).digest());
const sign = signWith('secret');
const START = Date.UTC(2026, 0, 1) as Instant;

/** Every text that differs from a token in one character, and the token with one character more or less. */
function changesOf(token: string): readonly string[] {
  const changed = [...token].map((character, at) => {
    const other = character === 'A' ? 'B' : 'A';
    return token.slice(0, at) + other + token.slice(at + 1);
  });
  return [...changed, `${token}A`, `A${token}`, token.slice(1), token.slice(0, -1), ''];
}

describe('a form token', () => {
  const ids = createOpaqueIds(new Uint8Array(32).fill(1));
  const tokens = createFormTokens({ sign, ids });
  const session = { id: 7 as SessionId, accountId: 9 as AccountId };

  test('of a session names it and its user', () => {
    expect(tokens.sessionOf(tokens.forSession(session))).toEqual(session);
  });

  test('of a session is invalid if any character changes', () => {
    for (const changed of changesOf(tokens.forSession(session))) {
      expect(tokens.sessionOf(changed)).toBeUndefined();
    }
  });

  test('of a session is invalid with the id of another session or user, or another secret', () => {
    const [, , mac] = tokens.forSession(session).split('.');
    const other = tokens.forSession({ id: 8 as SessionId, accountId: 10 as AccountId }).split('.');
    const own = tokens.forSession(session).split('.');
    expect(tokens.sessionOf(`${other[0]}.${own[1]}.${mac}`)).toBeUndefined();
    expect(tokens.sessionOf(`${own[0]}.${other[1]}.${mac}`)).toBeUndefined();
    expect(tokens.sessionOf(`${own[1]}.${own[0]}.${mac}`)).toBeUndefined();
    const others = createFormTokens({ sign: signWith('other'), ids });
    expect(tokens.sessionOf(others.forSession(session))).toBeUndefined();
  });

  test('of a visitor is valid only for this visitor', () => {
    const token = tokens.forVisitor('a');
    expect(tokens.isOfVisitor('a', token)).toBe(true);
    expect(tokens.isOfVisitor('b', token)).toBe(false);
    expect(tokens.isOfVisitor('', '')).toBe(false);
    for (const changed of changesOf(token)) expect(tokens.isOfVisitor('a', changed)).toBe(false);
  });
});

describe('a request is from a page of this server', () => {
  const BASE = 'https://captcha.example';
  const long = `https://${'a'.repeat(ORIGIN_MAX_LENGTH)}.example`;

  test.each<[string, Record<string, string>, boolean]>([
    ['if the browser says so', { 'sec-fetch-site': 'same-origin', origin: 'https://else.example' }, true],
    ['not if another site sent it', { 'sec-fetch-site': 'cross-site', origin: BASE }, false],
    ['not if a subdomain sent it', { 'sec-fetch-site': 'same-site', origin: BASE }, false],
    ['if its origin has the host of the request', { origin: 'http://internal:8080' }, true],
    ['if its origin has the host of the base URL', { origin: BASE }, true],
    ['not if its origin has another host', { origin: 'https://else.example' }, false],
    ['not if its origin has another port', { origin: 'https://captcha.example:8443' }, false],
    ['not if its origin is not a URL', { origin: 'captcha.example' }, false],
    ['not if its origin is too long', { origin: long, host: new URL(long).host }, false],
    ['not if it has neither header', {}, false],
    ['not if only its origin is hidden', { origin: 'null' }, false],
    ['if the user caused it and the origin is hidden', { 'sec-fetch-site': 'none', origin: 'null' }, true],
    ['if the user caused it, without an origin', { 'sec-fetch-site': 'none' }, true],
    [
      'not if the origin contradicts the user',
      { 'sec-fetch-site': 'none', origin: 'https://else.example' },
      false,
    ],
  ])('%s', (_, headers, expected) => {
    const request = new Request('http://internal:8080/', { headers: { host: 'internal:8080', ...headers } });
    expect(isFromUs(request, BASE)).toBe(expected);
  });

  test('also if its origin has the maximum length', () => {
    const host = `${'a.'.repeat((ORIGIN_MAX_LENGTH - 'https://'.length) / 2 - 1)}aa`;
    const origin = `https://${host}`;
    expect(origin).toHaveLength(ORIGIN_MAX_LENGTH);
    expect(isFromUs(new Request(BASE, { headers: { origin, host } }), BASE)).toBe(true);
  });
});

describe('a one-time token', () => {
  const token = '0123456789abcdef'.repeat(2);
  const open = () =>
    createOneTimeTokens({ usedForms: createMemoryUsedForms(), newToken: () => token, clock: () => START });
  const formWith = (value: string) => ({ form: new URLSearchParams({ [ONE_TIME_TOKEN_FIELD]: value }) });

  test('is accepted once', async () => {
    const tokens = open();
    expect(tokens.issue()).toBe(token);
    expect(await tokens.use(formWith(token))).toBe(true);
    expect(await tokens.use(formWith(token))).toBe(false);
  });

  test.each(['', 'abc', `${token}0`, `0${token}`, token.toUpperCase()])(
    'has 32 hex digits, unlike %j',
    async (text) => {
      expect(await open().use(formWith(text))).toBe(false);
    },
  );

  test('is required', async () => {
    expect(await open().use({ form: new URLSearchParams() })).toBe(false);
  });
});

describe('a token for a test of a property', () => {
  const trial = { sitekey: '0123456789abcdef'.repeat(2) as Sitekey, origin: 'https://www.example.com' };
  const openAt = (now: number) => createTrialTokens({ sign, clock: () => now as Instant });

  test('contains the sitekey and the origin', () => {
    expect(openAt(START).open(openAt(START).issue(trial))).toEqual(trial);
  });

  test('is issued at a part of a millisecond, too', () => {
    const token = openAt(START + 0.25).issue(trial);
    expect(openAt(START + 1).open(token)).toEqual(trial);
    expect(openAt(START + HOUR + 0.5).open(token)).toEqual(trial);
  });

  test('is valid for an hour', () => {
    const token = openAt(START).issue(trial);
    expect(openAt(START + HOUR).open(token)).toEqual(trial);
    expect(openAt(START + HOUR + 1).open(token)).toBeUndefined();
  });

  test('is invalid if any character changes, or if another installation has issued it', () => {
    const tokens = openAt(START);
    for (const changed of changesOf(tokens.issue(trial))) expect(tokens.open(changed)).toBeUndefined();
    const other = createTrialTokens({ sign: signWith('other'), clock: () => START });
    expect(tokens.open(other.issue(trial))).toBeUndefined();
  });
});
