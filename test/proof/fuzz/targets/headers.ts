import { hashOf, isKnownTag } from '../../../../src/http/etag.ts';
import { createFileHandler } from '../../../../src/http/fileHandler.ts';
import { preflightResponse } from '../../../../src/http/preflight.ts';
import { createLanguageFiles } from '../../../../src/http/widget/widgetArchive.ts';
import { languageFor } from '../../../../src/lib/languageTag.ts';
import { LANGUAGES, languageOf, negotiateLanguage } from '../../../../src/portal/i18n/languages.ts';
import { createCookies, preferencesFrom } from '../../../../src/portal/kit/cookies.ts';
import { createSign } from '../../../../src/sha256.ts';
import { must, mustEqual, type Target } from '../engine/target.ts';
import { requestOf } from './fakeRequest.ts';

/** Headers that do not depend on the route. */

const lines = (...all: readonly string[]) => all.join('\n');

const sign = createSign(new Uint8Array(32));
const cookiesOf = () => createCookies({ isHttps: false, sign });
const pairOf = (header: string) => header.split(';', 1)[0] ?? '';
const VALID_COOKIES = [
  pairOf(cookiesOf().write('session', 'abc')),
  pairOf(cookiesOf().write('visitor', 'v-1')),
  pairOf(cookiesOf().write('notice', 'Saved. \u00e9')),
  pairOf(cookiesOf().write('preferences', 'de dark')),
];

const cookies: Target = {
  name: 'cookies',
  kind: 'latin1',
  seeds: [
    ...VALID_COOKIES,
    VALID_COOKIES.join('; '),
    `a=b; ${VALID_COOKIES.join(';')} ;x`,
    `${VALID_COOKIES[0]}; ${VALID_COOKIES[0]}`,
  ],
  tokens: [
    'postern-session',
    'postern-visitor',
    'postern-notice',
    'postern-link',
    '=',
    ';',
    '; ',
    '.',
    ' ',
    '\t',
    '\xa0',
    '__Host-',
  ],
  check(input) {
    const request = requestOf('/', { cookie: input });
    const values = cookiesOf().read(request);
    // The same pairs by splitting the whole header.
    const pairs = (request.headers.get('cookie') ?? '').split(';').map((pair) => {
      const equals = pair.indexOf('=');
      const trimmed = (text: string) => text.replace(/^[ \t]+/, '').match(/^(.*[^ \t])?[ \t]*$/s)?.[1] ?? '';
      return [trimmed(pair.slice(0, Math.max(equals, 0))), trimmed(pair.slice(equals + 1))] as const;
    });
    const sessions = pairs.filter(([name]) => name === 'postern-session').map(([, value]) => value);
    mustEqual(values.session, sessions.length === 1 ? sessions[0] : undefined, 'the session');
    for (const name of ['visitor', 'notice', 'link', 'preferences'] as const) {
      const value = values[name];
      if (value === undefined) continue;
      const read = cookiesOf().read(requestOf('/', { cookie: pairOf(cookiesOf().write(name, value)) }));
      mustEqual(read[name], value, `the written cookie ${name}`);
    }
    const { language, theme } = preferencesFrom(values.preferences, null);
    must(languageOf(language) !== undefined && ['auto', 'light', 'dark'].includes(theme), 'the preferences');
    return values;
  },
};

const TAGS = Object.keys(LANGUAGES);
const TABLE = JSON.stringify({
  de: { dir: 'ltr', texts: {} },
  'zh-Hant': { dir: 'ltr', texts: {} },
  nb: { dir: 'ltr', texts: {} },
});
const languageFile = createLanguageFiles(TABLE);
const VERSION = hashOf(TABLE);

const language: Target = {
  name: 'language',
  kind: 'latin1',
  seeds: [
    'de-AT,de;q=0.9,en;q=0.8',
    '*',
    'fr;q=0',
    'zh-TW',
    'en-x-a-b-c',
    'pt;q=1.0, ja;q=abc',
    'de,'.repeat(60),
  ],
  tokens: [
    ',',
    ';q=',
    ';',
    '-',
    '*',
    'de',
    'en',
    'fr',
    'es',
    'pt',
    'ja',
    'zh-hk',
    'no',
    '0.001',
    '1.000',
    ' ',
  ],
  maxLength: 1200,
  check(input) {
    const negotiated = negotiateLanguage(input);
    must(TAGS.includes(negotiated), `not a language: ${negotiated}`);
    const found = languageFor(input.slice(0, 100), TAGS);
    must(found === undefined || TAGS.includes(found), `not a language: ${found}`);
    for (const tag of TAGS) mustEqual(languageFor(`${tag}-x-y`, TAGS), tag, 'the language of a longer tag');
    const file = languageFile(`/widget/lang/${input}.${VERSION}.json`);
    if (file !== undefined) must(/^[a-z0-9-]+$/i.test(input), `a file for ${input}`);
    return { negotiated, found, texts: file?.contents.length };
  },
};

const TAG = '"0123456789abcdef"';
const TEXT = new TextEncoder().encode('text');
const file = createFileHandler({
  type: 'text/plain',
  etag: TAG,
  isPublic: true,
  plain: () => TEXT,
  zipped: TEXT,
});

const conditions: Target = {
  name: 'conditions',
  kind: 'latin1',
  seeds: [
    lines(TAG, 'gzip, br'),
    lines(`W/${TAG}, "x"`, 'gzip;q=0'),
    lines('*', 'identity'),
    lines('"a",W/"b"', '*;q=0.0'),
  ],
  tokens: ['\n', TAG, 'W/', ',', ' ', '\t', '"', '*', 'gzip', ';q=0', '.0', 'x-gzip'],
  check(input) {
    const [first, encoding] = input.split('\n');
    const request = requestOf('/', { 'if-none-match': first, 'accept-encoding': encoding });
    const known = request.headers.get('if-none-match') ?? '';
    const isKnown = isKnownTag(known, TAG);
    mustEqual(isKnownTag(known, `W/${TAG}`), isKnown, 'the comparison with a weak tag');
    must(isKnownTag(`${known}, ${TAG}`, TAG), 'a tag at the end of a list');
    const { status, headers } = file(request, 'no-cache');
    mustEqual(status, isKnown ? 304 : 200, 'the status');
    return [status, headers.get('content-encoding')];
  },
};

const preflight: Target = {
  name: 'preflight',
  kind: 'latin1',
  seeds: [
    lines('https://example.com', 'x-pc-captcha-version'),
    lines('null', 'a, b,c'),
    lines('', ''),
    lines('app://x', 'a,'.repeat(900)),
  ],
  tokens: ['\n', ',', ', ', 'x-a', '*', 'https://', '\t', '(', '\xe9'],
  maxLength: 3000,
  share: 0.5,
  check(input) {
    const [origin, requested] = input.split('\n');
    const request = requestOf('/', { origin, 'access-control-request-headers': requested });
    const { status, headers } = preflightResponse(request, { idOf: () => 'id' });
    must(status === 204 || status === 400, `status ${status}`);
    const allowed = headers.get('access-control-allow-origin');
    must(allowed === null || allowed === request.headers.get('origin'), `another origin: ${allowed}`);
    return [...headers];
  },
};

export const HEADER_TARGETS: readonly Target[] = [cookies, language, conditions, preflight];
