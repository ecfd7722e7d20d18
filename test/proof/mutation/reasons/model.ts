import type { Reason } from './reason.ts';

export const MODEL: readonly Reason[] = [
  {
    file: 'model/account.ts',
    mutants: [
      'parsePassword: text.length > PASSWORD_MAX_UNITS → false',
      'parsePassword: text.length > PASSWORD_MAX_UNITS → text.length >= PASSWORD_MAX_UNITS',
    ],
    reason: 'The check only saves the normalization of a text that has too many characters in any form.',
  },
  {
    file: 'model/activity.ts',
    mutants: [
      'toActivity: verifiedHour ?? 0 → verifiedHour',
      'hasVerification: counts[COUNTER.verified] ?? 0 → counts[COUNTER.verified]',
    ],
    reason: 'In a comparison or a maximum, a missing number has the same result as 0.',
  },
  {
    file: 'model/databaseUrl.ts',
    mutants: [
      "parseDatabaseUrl: '' → 'mutant'",
      "parseDatabaseUrl: '' → 'mutant' (2)",
      "parseDatabaseUrl: '' → 'mutant' (3)",
      "parseDatabaseUrl: [] → ['mutant']",
      "parseHost: [] → ['mutant']",
    ],
    reason: 'If one of the parts is missing, all are, and the URL is invalid in any case.',
  },
  {
    file: 'model/databaseUrl.ts',
    mutants: ["parseDatabaseUrl: '' → 'mutant' (4)"],
    reason: '`split` always returns at least one part.',
  },
  {
    file: 'model/email.ts',
    mutants: [
      'toShownDomain: INVISIBLE.test(unicode) || isMixed || domainToASCII(unicode) !== label → INVISIBLE.test(unicode) || isMixed',
    ],
    reason: 'Only a bug in the library can make the conversion back to ASCII differ.',
  },
  {
    file: 'model/domain.ts',
    mutants: ['IPV4: /^\\d+\\.\\d+\\.\\d+\\.\\d+$/ → /\\d+\\.\\d+\\.\\d+\\.\\d+$/'],
    reason: 'The URL parser converts or rejects all other names that end in a number.',
  },
  {
    file: 'model/domain.ts',
    mutants: ['ALL_SUFFIXES: false → true', 'ALL_SUFFIXES: false → true (2)'],
    reason: 'The text is a host name already, and no address.',
  },
  {
    file: 'model/domain.ts',
    mutants: ['hostOfUrl: /^[^:]+/ → /[^:]+/'],
    reason: 'The text begins with the scheme.',
  },
  {
    file: 'model/domain.ts',
    mutants: ["toAsciiHost: host === '' → false"],
    reason: 'An empty host has no valid label either.',
  },
  {
    file: 'model/email.ts',
    mutants: [
      "parseEmail: toLowercase(text) ?? '' → toLowercase(text)",
      "parseEmail: '' → 'mutant'",
      "parseEmail: [] → ['mutant']",
      'parseEmail: local === undefined || domain === undefined → domain === undefined',
      'parseEmail: local === undefined || domain === undefined → local === undefined',
    ],
    reason:
      'A text that is too long or missing does not match the format either, of which both parts are always present.',
  },
  {
    file: 'model/email.ts',
    mutants: ["parseEmail: '' → 'mutant' (2)", "toSpellings: '' → 'mutant'"],
    reason: 'Any visible text can replace the joiners.',
  },
  {
    file: 'model/email.ts',
    mutants: [
      "toSpellings: entered === undefined || !EMAIL.test(entered) || INVISIBLE.test(entered.replace(JOINERS, '… → !EMAIL.test(entered) || INVISIBLE.test(entered.replace(JOINERS, ''))",
    ],
    reason: 'A missing text does not match the format either.',
  },
  {
    file: 'model/email.ts',
    mutants: ["toShownDomain: !label.startsWith('xn--') → false", "toShownDomain: 'xn--' → ''"],
    reason: 'A label in ASCII is its own Unicode form.',
  },
  {
    file: 'model/field.ts',
    mutants: [
      'toNamedValues: fields[key]?.name ?? key → fields[key]?.name',
      'toNamedValues: fields[key]?.name → fields[key].name',
    ],
    reason: 'The value is never missing, but the compiler cannot infer this.',
  },
  {
    file: 'model/levelAdvice.ts',
    mutants: [
      'toLevelAdvice: samples < ADVICE_MIN_SAMPLES || p95 === undefined → samples < ADVICE_MIN_SAMPLES',
      'toLevelAdvice: solveTimeRange(0.01, counts)?.least ?? 0 → solveTimeRange(0.01, counts)?.least',
      'toLevelAdvice: solveTimeRange(0.01, counts)?.least → solveTimeRange(0.01, counts).least',
    ],
    reason: 'With enough solve times, there are quantiles.',
  },
  {
    file: 'model/levelAdvice.ts',
    mutants: [
      'toLevelAdvice: lower.p95 <= LONG_MS → lower.p95 < LONG_MS',
      'toLevelAdvice: higher.p95 <= SHORT_MS → higher.p95 < SHORT_MS',
      'toLevelAdvice: p95 > LONG_MS → p95 >= LONG_MS',
    ],
    reason: 'No bucket of solve times ends at such a time.',
  },
  {
    file: 'model/levelAdvice.ts',
    mutants: ['predict: levels > 0 → levels >= 0'],
    reason: 'The other level always differs.',
  },
  {
    file: 'model/name.ts',
    mutants: ['parseName: !isNameSized(trimmed) → false'],
    reason: 'Even composed, such a text has more than 128 characters.',
  },
  {
    file: 'model/newPassword.ts',
    mutants: ['parseNewPassword: rest !== folded && isWeak(rest, isCommon) → isWeak(rest, isCommon)'],
    reason: 'If nothing was removed, the text was checked already.',
  },
  {
    file: 'model/newPassword.ts',
    mutants: ["repeatedUnitOf: text === '' → false"],
    reason: 'An empty text consists of itself in both cases.',
  },
  {
    file: 'model/newPassword.ts',
    mutants: ["toWords: '' → 'mutant' (2)", "toWords: '' → 'mutant'"],
    reason: 'An address always has both parts.',
  },
  {
    file: 'model/property.ts',
    mutants: [
      'UUID_SITEKEY: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/ → /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/',
      'UUID_SITEKEY: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/ → /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/',
      'parseSitekey: text.length > SITEKEY_MAX_LENGTH → false',
    ],
    reason: 'Both the length and the pattern exclude longer texts.',
  },
  {
    file: 'model/property.ts',
    mutants: ['parseSitekey: CANONICAL_SITEKEY.test(text) → false'],
    reason: 'It only saves work; the result is the same.',
  },
  {
    file: 'model/rules/parseConditions.ts',
    mutants: [
      'parseCondition: index % STEP === 0 → true',
      'parseCondition: index % STEP === 0 → false',
      'parseCondition: index % STEP → index * STEP',
      'parseCondition: yield → nothing',
    ],
    reason: 'It only determines how often the thread can process other requests in between.',
  },
  {
    file: 'model/rules/parseConditions.ts',
    mutants: [
      "parseCondition: [] → ['mutant']",
      "parseCondition: [] → ['mutant'] (2)",
      'parseCondition: parsed !== undefined → true',
      'createParseNext: parsed.ok → true (2)',
    ],
    reason: 'A list with an error is rejected as a whole, so what is read from the rule is not used.',
  },
  {
    file: 'model/rules/parseConditions.ts',
    mutants: [
      'createParseNext: problem === undefined && parsed.ok → problem === undefined',
      "createParseNext: problem ?? 'entry-mistyped' → problem",
      "createParseNext: 'entry-mistyped' → ''",
    ],
    reason: 'A text without a problem was parsed, and others have a problem.',
  },
  {
    file: 'model/rules/parseConditions.ts',
    mutants: [
      'offsetOf: offset ?? 0 → offset',
      'parseEntry: parsed.ok || parsed.offset === undefined → parsed.offset === undefined',
      'parseEntry: parsed.ok || parsed.offset === undefined → parsed.ok',
    ],
    reason: 'Each error of a text has a position.',
  },
  {
    file: 'model/rules/parseConditions.ts',
    mutants: ['toEntries: slice → valueOf', 'splitText: entries.length > limit → false'],
    reason: 'It only saves work; the result is the same.',
  },
  {
    file: 'model/rules/parseConditions.ts',
    mutants: ['countPatterns: header.ok → true', "countPatterns: [] → ['mutant'] (4)"],
    reason: 'The conditions were parsed before.',
  },
  {
    file: 'model/rules/parseEntry.ts',
    mutants: ['asns: digits ?? 0 → digits'],
    reason: 'A missing number is not a valid ASN either.',
  },
  {
    file: 'model/rules/parseEntry.ts',
    mutants: ['paths: query >= 0 → query > 0'],
    reason: 'A path that begins with a question mark has no slash at its beginning either.',
  },
  {
    file: 'model/rules/parseEntry.ts',
    mutants: [
      "isAsn: typeof value === 'number' && Number.isInteger(value) && value >= 1 && value < 2 ** 32 - 1 → Number.isInteger(value) && value >= 1 && value < 2 ** 32 - 1",
    ],
    reason: 'Other types are not whole numbers either.',
  },
  {
    file: 'model/rules/parseEntry.ts',
    mutants: [
      "splitHeader: [] → ['mutant']",
      'splitHeader: start === undefined || name === undefined || start.length === text.length → name === undefined || start.length === text.length',
      'splitHeader: start === undefined || name === undefined || start.length === text.length → start === undefined || start.length === text.length',
    ],
    reason: 'A match has both parts.',
  },
  {
    file: 'model/rules/parseEntry.ts',
    mutants: ['parseHeader: parsed.offset ?? 0 → parsed.offset'],
    reason: 'The value is never missing, but the compiler cannot infer this.',
  },
  {
    file: 'model/rules/parseRules.ts',
    mutants: ['parseRulesInSteps: !Array.isArray(value) || errors.length > 0 → errors.length > 0'],
    reason: 'A value that is not an array has an error already.',
  },
  {
    file: 'model/rules/parseRules.ts',
    mutants: [
      'parseRulesInSteps: parsed !== undefined → true',
      'add: isValid = false → nothing',
      'add: false → true',
      'parseRule: !isValid || action === undefined → action === undefined',
      'parseRule: !isValid || action === undefined → !isValid',
      "parseRuleName: '' → 'mutant'",
      "parseRuleName: '' → 'mutant' (3)",
    ],
    reason: 'A list with an error is rejected as a whole, so what is read from the rule is not used.',
  },
  {
    file: 'model/rules/parseRules.ts',
    mutants: ['parseRulesInSteps: errors.length === RULE_LIMITS.errors → false'],
    reason: 'It only saves work; the result is the same.',
  },
  {
    file: 'model/rules/parseRules.ts',
    mutants: [
      'checkList: rule.id !== undefined && ids.has(rule.id) → ids.has(rule.id)',
      'checkList: rule.id !== undefined → true',
    ],
    reason: 'A missing id is never in the set.',
  },
  {
    file: 'model/rules/parseRules.ts',
    mutants: ['checkList: yield → nothing'],
    reason: 'It only determines how often the thread can process other requests in between.',
  },
  {
    file: 'model/rules/parseRules.ts',
    mutants: [
      "isWithin: typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max → Number.isInteger(value) && value >= min && value <= max",
    ],
    reason: 'Other types are not whole numbers either.',
  },
  {
    file: 'model/rules/pattern.ts',
    mutants: ['parsePattern: at < text.length → at <= text.length'],
    reason: 'Behind the end of the text, there is no character.',
  },
  {
    file: 'model/rules/pattern.ts',
    mutants: [
      "matchesPattern: first !== '' && !text.startsWith(first) → !text.startsWith(first)",
      "matchesPattern: end === '' || (text.length - end.length >= from && text.endsWith(end)) → (text.length - end.length >= from && text.endsWith(end))",
    ],
    reason: 'Each text begins and ends with an empty text.',
  },
  {
    file: 'model/rules/pattern.ts',
    mutants: [
      "parsePagePath: URL.parse(text, 'http://localhost')?.pathname → URL.parse(text, 'http://localhost').pathname",
    ],
    reason: 'The value is never missing, but the compiler cannot infer this.',
  },
  {
    file: 'model/rules/ruleDocument.ts',
    mutants: ["sentenceOfError: '' → 'mutant'"],
    reason: 'Every error whose message contains {{name}} has a name.',
  },
  {
    file: 'model/statistics.ts',
    mutants: ['toBucket: doubling >= 2 → doubling > 2'],
    reason: 'Times from 4 to 7 ms have the same quarter in both cases.',
  },
  {
    file: 'model/statistics.ts',
    mutants: ['solveTimeAt: bucket === undefined || bucket === 0 → bucket === undefined'],
    reason: 'The middle of the bucket for zero is zero.',
  },
];
