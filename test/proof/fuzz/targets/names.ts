import { isCronExpression } from '../../../../src/cron.ts';
import { type Instant, instantFromIso, toIso } from '../../../../src/lib/time.ts';
import { parseTimeZone } from '../../../../src/lib/timeZone.ts';
import { parsePassword } from '../../../../src/model/account.ts';
import { formatApiKey, parseApiKey, toSecretHint } from '../../../../src/model/apiKey.ts';
import { foldName, parseName } from '../../../../src/model/name.ts';
import { parseNewPassword, parsePassphrase } from '../../../../src/model/newPassword.ts';
import { parseOrganizationName } from '../../../../src/model/organization.ts';
import { parsePlanName } from '../../../../src/model/plan.ts';
import { parseSitekey } from '../../../../src/model/property.ts';
import { parseRuleId } from '../../../../src/model/rules/parseRules.ts';
import { parseRange } from '../../../../src/model/statistics.ts';
import { parseTaskId } from '../../../../src/model/task.ts';
import { parseTrafficRange } from '../../../../src/model/traffic.ts';
import { createOpaqueIds, createSeal, type IdKind } from '../../../../src/platform/opaqueId.ts';
import { createHeldForms } from '../../../../src/portal/kit/heldForms.ts';
import { createFormTokens, createTrialTokens } from '../../../../src/portal/kit/tokens.ts';
import { createSign } from '../../../../src/sha256.ts';
import { must, mustEqual, type Target } from '../engine/target.ts';

/** Short texts with a fixed format: names, ids, keys, tokens, times. */

const name: Target = {
  name: 'name',
  kind: 'text',
  seeds: [
    'Shop',
    '  Stra\u00dfe 1  ',
    'e\u0301',
    '\ud83d\ude00'.repeat(128),
    'a'.repeat(129),
    '<b>',
    '\u1e9e \u03a3\u03c2',
  ],
  tokens: ['<', '>', '\u0301', '\u0345', '\u1e9e', '\u0130', '\u03c2', '\u200d', '\u2028'],
  maxLength: 700,
  check(input) {
    const parsed = parseName('property', input);
    mustEqual(parseOrganizationName(input).ok, parsed.ok, 'another kind of name');
    if (!parsed.ok) return parsed;
    mustEqual(parseName('property', parsed.value), parsed, 'the same name again');
    const folded = foldName(parsed.value);
    mustEqual(foldName(folded), folded, 'the folded name');
    must([...parsed.value].length <= 128, 'more than 128 characters');
    must(!/[<>\p{C}\p{Zl}\p{Zp}]/u.test(parsed.value), 'an invisible character');
    return [parsed, folded];
  },
};

const CONTEXT = { email: 'ann.smith@example.com', organizationNames: ['Blue Shop'] };
const COMMON = new Set(['password', '12345678', 'passwort1']);

const password: Target = {
  name: 'password',
  kind: 'text',
  seeds: [
    'correct horse battery',
    'password',
    'ann.smith@example.com1',
    'abababababab',
    'blueshop2024',
    '\u00e9'.repeat(256),
    'a'.repeat(257),
  ],
  tokens: ['ann', 'smith', 'example', 'blue', 'shop', 'postern', 'captcha', 'password', '\u0301'],
  maxLength: 2200,
  check(input) {
    const parsed = parsePassword(input);
    if (parsed.ok) mustEqual(parsePassword(parsed.value), parsed, 'the same password again');
    const chosen = parseNewPassword(input, CONTEXT, (folded) => COMMON.has(folded));
    if (chosen.ok) mustEqual(chosen, parsed, 'a new password');
    const passphrase = parsePassphrase(input);
    if (passphrase.ok) mustEqual(passphrase.value, input, 'the passphrase');
    return [parsed, chosen];
  },
};

const ENTROPY = new Uint8Array(32).fill(9);
const KEY = formatApiKey('verify', ENTROPY);
const ids = createOpaqueIds(new Uint8Array(32).fill(3));
const ORGANIZATION_ID = ids.seal('organization', 7 as never);
const KINDS: readonly IdKind[] = [
  'organization',
  'property',
  'api-key',
  'account',
  'session',
  'invitation',
  'audit-entry',
];

const identifiers: Target = {
  name: 'identifiers',
  kind: 'text',
  seeds: [
    KEY,
    formatApiKey('portal', ENTROPY),
    'x'.repeat(32),
    '0123456789abcdef0123456789abcdef',
    '01234567-89AB-CDEF-0123-456789abcdef',
    '0123456789abcdef',
    ORGANIZATION_ID,
    'default',
    '24h',
  ],
  tokens: [
    'postern_',
    'verify_',
    'portal_',
    '-',
    '_',
    '7d',
    '30d',
    '1y',
    'Europe/Berlin',
    'day',
    '__proto__',
    'constructor',
  ],
  maxLength: 300,
  check(input) {
    const key = parseApiKey(input);
    if (key.ok) {
      mustEqual(key.value, input, 'the key');
      toSecretHint(input);
    }
    const sitekey = parseSitekey(input);
    if (sitekey.ok) {
      mustEqual(parseSitekey(sitekey.value), sitekey, 'the same sitekey again');
      must(/^[0-9a-f]{32}$/.test(sitekey.value), 'the format of a sitekey');
    }
    const [task, plan, rule, range] = [
      parseTaskId(input),
      parsePlanName(input),
      parseRuleId(input),
      parseRange(input),
    ];
    const [zone, traffic] = [parseTimeZone(input), parseTrafficRange(input)];
    if (zone !== undefined) mustEqual(parseTimeZone(zone), zone, 'the same time zone again');
    for (const parsed of [task, plan]) if (parsed.ok) mustEqual(parsed.value, input, 'the id');
    for (const text of [rule, range, traffic]) if (text !== undefined) mustEqual(text, input, 'the id');
    for (const kind of KINDS) {
      const id = ids.open(kind, input);
      if (id !== undefined) mustEqual(ids.seal(kind, id as never), input, 'the written id');
    }
    return [key, sitekey, task, plan, rule, range, zone, traffic];
  },
};

const NOW = 1_800_000_000_000 as Instant;
const sign = createSign(new Uint8Array(32).fill(4));
const clock = () => NOW;
const formTokens = createFormTokens({ sign, ids });
const trials = createTrialTokens({ sign, clock });
const usedForms = { use: async () => true };
const seal = createSeal(new Uint8Array(32).fill(5), (bytes) => bytes.fill(6));
const heldForms = createHeldForms({
  seal,
  usedForms,
  isClustered: false,
  newToken: () => '0'.repeat(32),
  clock,
});
const HELD =
  heldForms.hold({ accountId: 1 as never, route: '/a', params: {}, address: '/a?b', fields: 'x=1' }) ?? '';

const tokens: Target = {
  name: 'tokens',
  kind: 'latin1',
  seeds: [
    formTokens.forSession({ id: 3 as never, accountId: 4 as never }),
    trials.issue({ sitekey: '0123456789abcdef0123456789abcdef' as never, origin: 'https://example.com' }),
    HELD,
  ],
  tokens: ['.', '-', '_', '=', '\xe9'],
  maxLength: 800,
  share: 0.5,
  check(input) {
    const session = formTokens.sessionOf(input);
    if (session !== undefined) mustEqual(formTokens.forSession(session), input, 'the written form token');
    const trial = trials.open(input);
    if (trial !== undefined) mustEqual(trials.open(trials.issue(trial)), trial, 'the written trial token');
    const held = heldForms.open(input);
    // Base64url ignores characters at the end, so the text can differ.
    if (held !== undefined) mustEqual(held.route, '/a', 'a form that was changed');
    return { session, trial, held };
  },
};

const instant: Target = {
  name: 'instant',
  kind: 'text',
  seeds: [
    '2026-01-31',
    '2026-01-31T12:00Z',
    '2026-01-31T12:00:00.123456789+14:00',
    '2024-02-29T23:59:60Z',
    '0000-01-01',
    '9999-12-31T24:00Z',
    '2026-02-30',
  ],
  tokens: ['T', 'Z', '-', ':', '+', '.', '00', '24', '60', '0000', '9999', '02-29', '02-30', '13'],
  maxLength: 60,
  check(input) {
    const parsed = instantFromIso(input);
    if (parsed === undefined) return undefined;
    must(Number.isFinite(parsed), 'a time that is not finite');
    const text = toIso(parsed);
    // An offset can lead to a year with more or fewer than four digits.
    if (/^\d{4}-/.test(text)) mustEqual(instantFromIso(text), parsed, 'the written time');
    return text;
  },
};

const cron: Target = {
  name: 'cron',
  kind: 'text',
  seeds: [
    '30 3 * * *',
    '@daily',
    '0 0 29 2 *',
    '*/5 1-4,7 L * MON#2',
    '0 0 31 2 *',
    '59 23 31 12 7',
    '@reboot',
  ],
  tokens: ['*', '/', '-', ',', 'L', 'W', '#', '?', 'MON', 'JAN', '@yearly', '@weekly', ' ', '+'],
  maxLength: 120,
  share: 0.02,
  cost: { fixed: 40_000_000, perCharacter: 0 },
  check: (input) => isCronExpression(input),
};

export const NAME_TARGETS: readonly Target[] = [name, password, identifiers, tokens, instant, cron];
