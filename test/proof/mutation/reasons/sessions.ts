import type { Reason } from './reason.ts';

export const SESSIONS: readonly Reason[] = [
  {
    file: 'http/apiKeyGuard.ts',
    mutants: ['isExpired: expiresAt !== undefined && expiresAt <= clock() → expiresAt <= clock()'],
    reason: 'No number is less than or equal to a missing one.',
  },
  {
    file: 'http/apiKeyGuard.ts',
    mutants: ["readKey: '' → 'mutant'"],
    reason: 'Neither text is a key.',
  },
  {
    file: 'platform/authentication/passwordCheck.ts',
    mutants: [
      "counted: !result.ok && result.problem === 'credentials-wrong' → result.problem === 'credentials-wrong'",
    ],
    reason: 'A result with a user has no problem.',
  },
  {
    file: 'platform/authentication/passwordCheck.ts',
    mutants: ["createCheckPassword: '' → 'mutant'"],
    reason: 'Any text that is not an email address can stand for one.',
  },
  {
    file: 'platform/authentication/passwordCheck.ts',
    mutants: [
      "createCheckPassword: emails.at(-1) ?? '' → emails.at(-1)",
      "createCheckPassword: emails[index] ?? '' → emails[index]",
      "createCheckPassword: '' → 'mutant' (2)",
      "createCheckPassword: '' → 'mutant' (3)",
    ],
    reason: 'The value is never missing, but the compiler cannot infer this.',
  },
  {
    file: 'platform/authentication/passwordCheck.ts',
    mutants: ["createCheckPassword: [] → ['mutant']"],
    reason: 'No user has such an email address.',
  },
  {
    file: 'platform/authentication/passwordCheck.ts',
    mutants: [
      'verifyOne: !verified.value || account === undefined || passwordHash === undefined → !verified.value || passwordHash === undefined',
      'verifyOne: !verified.value || account === undefined || passwordHash === undefined → !verified.value || account === undefined',
    ],
    reason: 'A hash is verified only with its account.',
  },
  {
    file: 'platform/authentication/passwordLinks.ts',
    mutants: ["signedText: '' → 'mutant'"],
    reason: 'Any text can stand for a missing hash.',
  },
  {
    file: 'platform/authentication/passwordLinks.ts',
    mutants: [
      "open: '' → 'mutant'",
      "open: '' → 'mutant' (2)",
      "open: [] → ['mutant']",
      'open: mac === undefined || toSeconds(clock()) >= until → toSeconds(clock()) >= until',
    ],
    reason: 'A text that does not match has no signature, and a match has all parts.',
  },
  {
    file: 'platform/authentication/passwords.ts',
    mutants: ['hash: [owner] → []'],
    reason:
      'Each owner has at most one operation, so all owners have equal shares of the queue in both cases.',
  },
  {
    file: 'platform/authentication/totp.ts',
    mutants: ["stepOf: '' → 'mutant'"],
    reason: 'The name of the account has no influence on a code.',
  },
  {
    file: 'platform/authentication/totp.ts',
    mutants: ['toSecret: slice → valueOf'],
    reason: 'The array is the whole buffer, except in tests.',
  },
  {
    file: 'portal/kit/cookies.ts',
    mutants: [
      "verified: '' → 'mutant' (2)",
      "read: '' → 'mutant'",
      "ownPairs: '' → 'mutant'",
      "verified: '' → 'mutant'",
    ],
    reason: 'No signature and no cookie is equal to this text.',
  },
  {
    file: 'portal/kit/cookies.ts',
    mutants: [
      'ownPairs: start < header.length → start <= header.length',
      'ownPairs: end - start > prefix.length → true',
      'ownPairs: end - start > prefix.length → end - start >= prefix.length',
      'ownPairs: end - start → end + start',
      "ownPairs: cookie === '' → false",
      'ownPairs: name !== undefined && pairs[name] !== undefined → pairs[name] !== undefined',
    ],
    reason: 'Empty and shorter pairs have none of our names.',
  },
  {
    file: 'portal/kit/cookies.ts',
    mutants: [
      'trimmed: start < end && isBlank(text.charCodeAt(start)) → isBlank(text.charCodeAt(start))',
      'trimmed: start < end → start <= end',
      'trimmed: end > start && isBlank(text.charCodeAt(end - 1)) → isBlank(text.charCodeAt(end - 1))',
      'trimmed: end > start → end >= start',
    ],
    reason: 'There are no blanks outside of the text.',
  },
  {
    file: 'portal/kit/cookies.ts',
    mutants: ["preferencesFrom: [] → ['mutant']"],
    reason: 'It is neither a language nor a theme.',
  },
  {
    file: 'portal/kit/forms.ts',
    mutants: [
      "readForm: request.headers.get('content-type') ?? '' → request.headers.get('content-type')",
      "readForm: '' → 'mutant'",
    ],
    reason: 'Neither text is the type of a form.',
  },
  {
    file: 'portal/kit/forms.ts',
    mutants: ["readMultipart: [] → ['mutant']", 'readMultipart: boundary === undefined → false'],
    reason: 'Without a boundary, the parser rejects the form, too.',
  },
  {
    file: 'portal/kit/forms.ts',
    mutants: ['readMultipart: slice → valueOf'],
    reason: 'The copy only has another type.',
  },
  {
    file: 'portal/kit/forms.ts',
    mutants: ['hasTooManyParts: at >= 0 → at > 0 (2)'],
    reason: 'After the first search, a separator is not at the beginning.',
  },
  {
    file: 'portal/kit/forms.ts',
    mutants: ['plain: trim → valueOf'],
    reason: 'The text was trimmed before, and so are names.',
  },
  {
    file: 'portal/kit/guards.ts',
    mutants: [
      'loadOrganization: id === undefined → false',
      'loadProperty: id === undefined → false',
      'LOADERS: id === undefined → false',
      'findKey: id === undefined → false',
      'findOrganizationKey: key && isOwned → isOwned',
    ],
    reason: 'A lookup without an id finds nothing.',
  },
  {
    file: 'portal/kit/guards.ts',
    mutants: ["nameIn: params[name] ?? '' → params[name]", "nameIn: '' → 'mutant'"],
    reason: 'A path without a name does not reach a guard that needs it.',
  },
  {
    file: 'portal/kit/guards.ts',
    mutants: ['LOADERS: all.ok → true', 'findRule: !list.ok → false', "LOADERS: [] → ['mutant']"],
    reason: 'The guard before has checked the access.',
  },
  {
    file: 'portal/kit/sessionStart.ts',
    mutants: ['startSession: before !== undefined → true'],
    reason: 'A missing secret opens no session.',
  },
  {
    file: 'portal/kit/tokens.ts',
    mutants: [
      "sessionOf: '' → 'mutant'",
      "sessionOf: '' → 'mutant' (2)",
      "sessionOf: '' → 'mutant' (3)",
      "sessionOf: [] → ['mutant']",
      'sessionOf: id === undefined || accountId === undefined → accountId === undefined',
      'sessionOf: id === undefined || accountId === undefined → id === undefined',
      "open: '' → 'mutant'",
      "open: '' → 'mutant' (2)",
      "open: '' → 'mutant' (3)",
      "open: '' → 'mutant' (4)",
      "open: [] → ['mutant']",
      'open: !sitekey.ok || Number(until) < deps.clock() → Number(until) < deps.clock()',
    ],
    reason: 'A text that does not match has no id, no sitekey, and no signature.',
  },
  {
    file: 'portal/kit/tokens.ts',
    mutants: [
      "isFromUs: host !== undefined && (host === request.headers.get('host') || host === new URL(baseUrl).h… → (host === request.headers.get('host') || host === new URL(baseUrl).host)",
    ],
    reason: 'No request has a missing host.',
  },
];
