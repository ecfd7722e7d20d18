/** Mutants that no test can kill, or that no test should kill, with the reason. A test fails if a text no longer names a mutant. */
export type Reason = {
  /** Path below `src/`. */
  readonly file: string;
  /** Texts of mutants: @see Mutant */
  readonly mutants: readonly string[];
  /** A sentence. */
  readonly reason: string;
};

export const REASONS: readonly Reason[] = [
  {
    file: 'puzzle/check.ts',
    mutants: [
      'areDistinct: a < solutions.length → a <= solutions.length',
      'areDistinct: b < solutions.length → b <= solutions.length',
    ],
    reason: 'Behind the last solution, there are no bytes, which differ from those of every solution.',
  },
  {
    file: 'puzzle/check.ts',
    mutants: ['allMeetThreshold: i < SOLUTION_SIZE → i <= SOLUTION_SIZE'],
    reason: 'Writing behind the end of a typed array has no effect.',
  },
  {
    file: 'puzzle/puzzle.ts',
    mutants: ['writeFixed: shift === 1 → true'],
    reason: 'In version 1, the property id overwrites the byte of the challenge.',
  },
  {
    file: 'puzzle/solution.ts',
    mutants: ['parsePayload: secondDot < 0 → secondDot <= 0'],
    reason: 'The second dot cannot be the first character.',
  },
  {
    file: 'puzzle/solution.ts',
    mutants: ["findInvalidField: '' → 'mutant'", "findInvalidField: '' → 'mutant' (2)"],
    reason: 'Any valid text can stand for a missing field.',
  },
  {
    file: 'puzzle/solution.ts',
    mutants: [
      'decodePageData: bytes[0] ?? 0 → bytes[0]',
      'decodePageData: bytes[actionEnd] ?? 0 → bytes[actionEnd]',
    ],
    reason: 'A length that is missing makes the sum NaN, which is not the length of the bytes either.',
  },
  {
    file: 'puzzle/solve.ts',
    mutants: [
      'search: task?.block.slice() ?? new Uint8Array() → task?.block.slice()',
      'search: task?.block.slice() → task.block.slice()',
      'readTask: puzzle === undefined || bytes === undefined → puzzle === undefined',
    ],
    reason: 'Only the compiler cannot see that the value is defined.',
  },
  {
    file: 'model/email.ts',
    mutants: [
      "parseEmail: toLowercase(text) ?? '' → toLowercase(text)",
      "parseEmail: '' → 'mutant'",
      "parseEmail: [] → ['mutant']",
      'parseEmail: local === undefined || domain === undefined → domain === undefined',
      'parseEmail: local === undefined || domain === undefined → local === undefined',
      'toLowercase: trimmed.length > EMAIL_MAX_LENGTH → trimmed.length >= EMAIL_MAX_LENGTH',
    ],
    reason:
      'A text that is too long or missing does not match the format either, of which both parts are always present.',
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
    file: 'model/account.ts',
    mutants: [
      'parsePassword: text.length > PASSWORD_MAX_UNITS → false',
      'parsePassword: text.length > PASSWORD_MAX_UNITS → text.length >= PASSWORD_MAX_UNITS',
    ],
    reason: 'The check only saves the normalization of a text that has too many characters in any form.',
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
    file: 'captcha/rules/networkIndex.ts',
    mutants: [
      'createNetworkIndex: index % STEP === 0 → true',
      'createNetworkIndex: index % STEP === 0 → false',
      'createNetworkIndex: index % STEP → index * STEP',
      'createNetworkIndex: yield → nothing',
      'createRanges: at % STEP === 0 → true',
      'createRanges: at % STEP === 0 → false',
      'createRanges: at % STEP → at * STEP',
      'createRanges: yield → nothing',
    ],
    reason: 'It only determines how often the thread can process other requests in between.',
  },
  {
    file: 'captcha/rules/valueIndex.ts',
    mutants: [
      'createValueIndex: at % STEP === 0 → true',
      'createValueIndex: at % STEP === 0 → false',
      'createValueIndex: at % STEP → at * STEP',
      'createValueIndex: yield → nothing',
    ],
    reason: 'It only determines how often the thread can process other requests in between.',
  },
  {
    file: 'captcha/rules/compileRules.ts',
    mutants: ['toStep: yield → nothing', 'indexPatterns: yield → nothing'],
    reason: 'It only determines how often the thread can process other requests in between.',
  },
  {
    file: 'captcha/rules/patternIndex.ts',
    mutants: ['createPatternIndex: yield → nothing', 'assignSlots: yield → nothing'],
    reason: 'It only determines how often the thread can process other requests in between.',
  },
  {
    file: 'captcha/rules/compileRules.ts',
    mutants: [
      'copyTo: word < bits.length → word <= bits.length',
      'intersect: word < bits.length → word <= bits.length',
    ],
    reason: 'Writing behind the end of a typed array has no effect.',
  },
  {
    file: 'captcha/rules/ruleSets.ts',
    mutants: ['addAll: word < bits.length → word <= bits.length'],
    reason: 'Writing behind the end of a typed array has no effect.',
  },
];

/** @returns the entries that name no mutant of their file, as `file: text` */
export function staleReasons(
  reasons: readonly Reason[],
  textsOf: (file: string) => ReadonlySet<string>,
): readonly string[] {
  return reasons.flatMap(({ file, mutants }) => {
    const texts = textsOf(file);
    return mutants.filter((text) => !texts.has(text)).map((text) => `${file}: ${text}`);
  });
}
