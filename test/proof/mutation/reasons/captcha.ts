import type { Reason } from './reason.ts';

export const CAPTCHA: readonly Reason[] = [
  {
    file: 'captcha/argon2idCheck.ts',
    mutants: ['check: failures.isBlocked(payload.puzzle) → false'],
    reason: 'It only saves work; the result is the same.',
  },
  {
    file: 'captcha/clientLoad.ts',
    mutants: [
      'rankOf: row + COLUMN.at → row - COLUMN.at',
      'update: row + COLUMN.at → row - COLUMN.at',
      'update: row + COLUMN.at → row - COLUMN.at (2)',
      'rowOf: row + COLUMN.at → row - COLUMN.at',
      'rowOf: row + COLUMN.at → row - COLUMN.at (2)',
    ],
    reason: 'The column has the position 0.',
  },
  {
    file: 'captcha/clientLoad.ts',
    mutants: ['update: elapsed <= 0 → false', 'update: elapsed <= 0 → elapsed < 0'],
    reason: 'The clock of the region never goes back, and nothing leaks in no time.',
  },
  {
    file: 'captcha/clientLoad.ts',
    mutants: [
      'update: open > 0 → true',
      'update: open > 0 → open >= 0',
      'update: verified > 0 → true',
      'update: verified > 0 → verified >= 0',
      'rowOf: cells[row + COLUMN.at] === 0 → false',
    ],
    reason: 'An empty bucket stays empty when it leaks.',
  },
  {
    file: 'captcha/clientLoad.ts',
    mutants: ['decay: x < 0.001 → false', 'decay: x < 0.001 → x <= 0.001'],
    reason: 'The line and the curve agree at this point.',
  },
  {
    file: 'captcha/clientLoad.ts',
    mutants: ['verifyIn: row < 0 → row <= 0', 'rankOf: row < 0 → row <= 0'],
    reason: 'No row begins at 0.',
  },
  {
    file: 'captcha/dialects/cap.ts',
    mutants: ['digitsOf: digits.length < length → digits.length <= length'],
    reason: 'Digits beyond the requested length are removed.',
  },
  {
    file: 'captcha/downgradeLoad.ts',
    mutants: ['has: table.peek(property) >= 0 → table.peek(property) > 0'],
    reason: 'No row begins at 0.',
  },
  {
    file: 'captcha/issue.ts',
    mutants: ['issueWith: ruling === undefined → false'],
    reason: 'Without a ruling, nothing is replaced.',
  },
  {
    file: 'captcha/issue.ts',
    mutants: [
      'issueWith: stored.attackUntil === 0 → false',
      'withDowngrade: downgrade === undefined → false',
    ],
    reason: 'It only saves work; the result is the same.',
  },
  {
    file: 'captcha/load.ts',
    mutants: [
      'createLoadMeter: share.clients && createTally(rankOf) → createTally(rankOf)',
      'createLoadMeter: share.verified && createTally(rankOf) → createTally(rankOf)',
      'createLoadMeter: share.properties && createTally((_, puzzles) => puzzles) → createTally((_, puzzles) => puzzles)',
      'createLoadMeter: share.downgraded && createTally((_, puzzles) => puzzles) → createTally((_, puzzles) => puzzles)',
      'register: tally === undefined → false',
      'register: share?.({ ...tally, add(counts, now) { for (const [key, amount] of counts) { acquire(); ad… → share({ ...tally, add(counts, now) { for (const [key, amount] of counts) { acquire(); addC…',
    ],
    reason: 'Without other nodes, the counts are not read.',
  },
  {
    file: 'captcha/origin.ts',
    mutants: [
      'parsePageHost: plain !== undefined && plain.length <= 253 && !HAS_NUMERIC_END.test(plain) → false',
      'parsePageHost: plain.length <= 253 → plain.length < 253',
    ],
    reason: 'It only saves the parser, which has the same result for such an origin.',
  },
  {
    file: 'captcha/origin.ts',
    mutants: ["parsePageHost: origin === 'null' || !origin.includes('://') → !origin.includes('://')"],
    reason: 'The text null contains no scheme.',
  },
  {
    file: 'captcha/origin.ts',
    mutants: [
      "toAsciiHost: url.protocol === 'http:' || url.protocol === 'https:' → url.protocol === 'https:'",
      "toAsciiHost: url.protocol === 'http:' || url.protocol === 'https:' → url.protocol === 'http:'",
      'toAsciiHost: isWeb → false',
    ],
    reason: 'A host that was converted already stays the same.',
  },
  {
    file: 'captcha/propertyLoad.ts',
    mutants: [
      'fillAt: row + COLUMN.at → row - COLUMN.at',
      'usualRateAfter: row + COLUMN.at → row - COLUMN.at',
      'row: row + COLUMN.at → row - COLUMN.at',
      'add: row + COLUMN.at → row - COLUMN.at',
    ],
    reason: 'The column has the position 0.',
  },
  {
    file: 'captcha/propertyLoad.ts',
    mutants: ['signal: row < 0 → false'],
    reason: 'Row -1 reads cell 1, which only aligns the sets and is always zero.',
  },
  {
    file: 'captcha/propertyLoad.ts',
    mutants: ['signal: row < 0 → row <= 0'],
    reason: 'No row begins at 0.',
  },
  {
    file: 'captcha/puzzleFailures.ts',
    mutants: [
      'rankOf: row + COLUMN.expiration → row - COLUMN.expiration',
      'add: row + COLUMN.expiration → row - COLUMN.expiration',
    ],
    reason: 'The column has the position 0.',
  },
  {
    file: 'captcha/puzzleFailures.ts',
    mutants: ['isBlocked: row < 0 → row <= 0'],
    reason: 'No row begins at 0.',
  },
  {
    file: 'captcha/replayCache.ts',
    mutants: ['find: row < set + WAYS → row <= set + WAYS'],
    reason: 'A puzzle of another set has another id.',
  },
  {
    file: 'captcha/replayCache.ts',
    mutants: ['victimIn: words[row + COLUMN.count] === 0 → false'],
    reason: 'An unused row has the earliest expiration.',
  },
  {
    file: 'captcha/rules/compileRules.ts',
    mutants: [
      'indexPatterns: yield → nothing',
      'toStep: list.length > 0 → true',
      'toStep: list.length > 0 → false',
      'toStep: list.length > 0 → list.length >= 0',
    ],
    reason: 'It only determines how often the thread can process other requests in between.',
  },
  {
    file: 'captcha/rules/compileRules.ts',
    mutants: [
      'copyTo: word < bits.length → word <= bits.length',
      'intersect: word < bits.length → word <= bits.length',
    ],
    reason: 'Writing past the end of a typed array has no effect.',
  },
  {
    file: 'captcha/rules/compileRules.ts',
    mutants: ['check: asn !== undefined → true', 'check: kind !== undefined → true'],
    reason: 'No rule has an undefined ASN or kind of downgrade.',
  },
  {
    file: 'captcha/rules/compileRules.ts',
    mutants: ["headerSteps: [] → ['mutant']"],
    reason: 'A name that no entry has adds no step.',
  },
  {
    file: 'captcha/rules/compileRules.ts',
    mutants: [
      'numberOfCountry: code.charCodeAt(0) * 256 + code.charCodeAt(1) → code.charCodeAt(0) * 256 - code.charCodeAt(1)',
    ],
    reason: 'Each code has another number in both cases.',
  },
  {
    file: 'captcha/rules/networkIndex.ts',
    mutants: ['find: range >= 0 → true', 'findIpv6: starts.length / 4 → starts.length * 4'],
    reason: 'Reading or writing outside of a typed array has no effect.',
  },
  {
    file: 'captcha/rules/networkIndex.ts',
    mutants: ['isAtOrBefore: start < wanted → start <= wanted'],
    reason: 'The words differ.',
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
    file: 'captcha/rules/networkIndex.ts',
    mutants: [
      'createRanges: (open[rule] as number) + (boundaries.isStart[boundary] === 1 ? 1 : -1) → (open[rule] as number) - (boundaries.isStart[boundary] === 1 ? 1 : -1)',
    ],
    reason: 'In both cases, the number is zero exactly when no network is open.',
  },
  {
    file: 'captcha/rules/networkIndex.ts',
    mutants: [
      'createRanges: at + 1 < order.length && compare(boundary, order[at + 1] as number) === 0 → compare(boundary, order[at + 1] as number) === 0',
      'createRanges: at + 1 < order.length → at + 1 <= order.length',
      'createRanges: at + 1 → at - 1',
    ],
    reason: 'No boundary follows the last one, so the comparison returns NaN.',
  },
  {
    file: 'captcha/rules/networkIndex.ts',
    mutants: ['createRanges: word < width → word <= width', 'push: word < width → word <= width'],
    reason:
      'The next iteration overwrites the extra word; that of the last iteration is past the words that are used.',
  },
  {
    file: 'captcha/rules/patternIndex.ts',
    mutants: ['createPatternIndex: yield → nothing', 'assignSlots: yield → nothing'],
    reason: 'It only determines how often the thread can process other requests in between.',
  },
  {
    file: 'captcha/rules/patternIndex.ts',
    mutants: [
      "createPatternIndex: parts[0] ?? '' → parts[0]",
      'take: lists[list] ?? [] → lists[list]',
      "createPatternIndex: '' → 'mutant'",
    ],
    reason: 'The value is never missing, but the compiler cannot infer this.',
  },
  {
    file: 'captcha/rules/patternIndex.ts',
    mutants: [
      "createPatternIndex: parts.every((part) => part === '') → false",
      "createPatternIndex: part === '' → false",
      'findOthers: at < length → at <= length',
      'findOthers: listOf[slot & mask] === 0 → false',
      "findOthers: folded === '' → true",
      'createFind: exact.size > 0 → true',
      'createFind: exact.size > 0 → exact.size >= 0',
      'createFind: grams.withoutGram.length > 0 → true',
      'createFind: grams.withoutGram.length > 0 → grams.withoutGram.length >= 0',
      'createFind: grams.hasPatterns → true',
      'createGramIndex: mask + 1 → mask - 1',
      'createGramIndex: lists.length > 0 → true',
      'createGramIndex: lists.length > 0 → lists.length >= 0',
      'begin: texts++ → texts--',
      'take: lastTexts[list] === texts → false',
      'take: lastTexts[list] = texts → nothing',
      'assignSlots: min → max',
      'assignSlots: ceil → floor',
      'assignSlots: 4 * patterns.length → 4 / patterns.length',
      'assignSlots: size - 1 → size + 1',
      'cost: (usual.has(slot) ? patterns.length : 0) + (slots.get(slot)?.length ?? 0) → (usual.has(slot) ? patterns.length : 0) - (slots.get(slot)?.length ?? 0)',
      'cost: usual.has(slot) → true',
      'cost: usual.has(slot) → false',
      'cost: slots.get(slot)?.length ?? 0 → 0',
      'cost: slots.get(slot)?.length ?? 0 → slots.get(slot)?.length',
      'assignSlots: cost(each) < cost(best) → true',
      'assignSlots: cost(each) < cost(best) → false',
      'assignSlots: cost(each) < cost(best) → cost(each) <= cost(best)',
      'FOLDED: code >= 0x41 && code <= 0x5a → code <= 0x5a',
      'nextSlot: (slot << 4) ^ (FOLDED[code & 0x7f] as number) → (slot << 4) | (FOLDED[code & 0x7f] as number)',
      'nextSlot: slot << 4 → slot >> 4',
      'nextSlot: MAX_SLOTS - 1 → MAX_SLOTS + 1',
      'slotsOf: at < text.length → at <= text.length',
      'slotsOf: code < 0x80 → true',
      'slotsOf: code < 0x80 → code <= 0x80',
      "take: [] → ['mutant'] (2)",
    ],
    reason: 'It only determines how many patterns are compared with a text.',
  },
  {
    file: 'captcha/rules/requestFacts.ts',
    mutants: [
      'limited: text.length > TEXT_MAX_LENGTH → true',
      'limited: text.length > TEXT_MAX_LENGTH → text.length >= TEXT_MAX_LENGTH',
    ],
    reason: 'A text that is short enough has no more characters.',
  },
  {
    file: 'captcha/rules/ruleCache.ts',
    mutants: [
      "evictOne: [] → ['mutant']",
      'evictOne: share === undefined || scope === undefined || oldest === undefined → scope === undefined || oldest === undefined',
      'evictOne: share === undefined || scope === undefined || oldest === undefined → share === undefined || scope === undefined',
      'evictOne: share === undefined || scope === undefined || oldest === undefined → share === undefined || oldest === undefined',
    ],
    reason: 'The share, the scope, and the list are missing together.',
  },
  {
    file: 'captcha/rules/ruleCache.ts',
    mutants: [
      'get: entries !== undefined && entry !== undefined && entries.size > 1 → entry !== undefined && entries.size > 1',
    ],
    reason: 'An entry implies its map.',
  },
  {
    file: 'captcha/rules/ruleCache.ts',
    mutants: ['createRuleCache: options.capacity ?? CAPACITY → options.capacity'],
    reason: 'A test would have to compile more than 64 MiB of lists.',
  },
  {
    file: 'captcha/rules/ruleCache.ts',
    mutants: ['compileStored: yield → nothing'],
    reason: 'It only determines how often the thread can process other requests in between.',
  },
  {
    file: 'captcha/rules/ruleCache.ts',
    mutants: ['set: known.revision > entry.revision → known.revision >= entry.revision'],
    reason: 'Lists of the same revision are equal.',
  },
  {
    file: 'captcha/rules/ruleCache.ts',
    mutants: ['get: entries.size > 1 → entries.size >= 1'],
    reason: 'A single list is in its place already.',
  },
  {
    file: 'captcha/rules/ruleCache.ts',
    mutants: ['resize: each.bytes === 0 → false', 'resize: each.parent?.members.delete(each.name) → nothing'],
    reason: 'It only frees memory.',
  },
  {
    file: 'captcha/rules/ruleSets.ts',
    mutants: ['append: (set + 1) * words > sets.length → (set + 1) * words >= sets.length'],
    reason: 'It only determines how much memory is allocated.',
  },
  {
    file: 'captcha/rules/ruleSets.ts',
    mutants: ['addAll: word < bits.length → word <= bits.length'],
    reason: 'Writing past the end of a typed array has no effect.',
  },
  {
    file: 'captcha/rules/rulings.ts',
    mutants: ["createMatchRules: 'installation' → ''"],
    reason: 'The scope of rules that are only tested is not read.',
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
    file: 'captcha/rules/valueIndex.ts',
    mutants: [
      'createValueIndex: at + 1 < order.length && given[index] === given[order[at + 1] as number] → given[index] === given[order[at + 1] as number]',
      'createValueIndex: at + 1 < order.length → at + 1 <= order.length',
      'find: at >= 0 → true',
    ],
    reason: 'Reading or writing outside of a typed array has no effect.',
  },
  {
    file: 'captcha/rules/valueIndex.ts',
    mutants: [
      'createValueIndex: entries[index]?.rule ?? 0 → entries[index]?.rule',
      'createValueIndex: entries[index]?.rule → entries[index].rule',
    ],
    reason: 'The value is never missing, but the compiler cannot infer this.',
  },
  {
    file: 'captcha/rules/valueIndex.ts',
    mutants: ['createValueIndex: at + 1 → at - 1'],
    reason: 'Behind the last value, there is none.',
  },
  {
    file: 'captcha/signature.ts',
    mutants: ['signPuzzle: slice → valueOf'],
    reason: 'The signature is a view of a buffer that is not used again.',
  },
  {
    file: 'captcha/signature.ts',
    mutants: [
      'views: created[hostLength] ??= message.subarray(start, signatureAt + HOST + hostLength + tail) → created[hostLength] = message.subarray(start, signatureAt + HOST + hostLength + tail)',
    ],
    reason: 'It only saves work; the result is the same.',
  },
  {
    file: 'captcha/signature.ts',
    mutants: ['writeSignature: message[signatureAt + 1] = FLAGS → nothing'],
    reason: 'The byte is zero in a new buffer, and in every valid signature.',
  },
  {
    file: 'captcha/signature.ts',
    mutants: [
      'writeSignature: i < hostLength → i <= hostLength',
      'writeSignature: i < MAC_SIZE → i <= MAC_SIZE',
    ],
    reason: 'The next byte is written after that.',
  },
  {
    file: 'captcha/signature.ts',
    mutants: ['verifySignature: hostLength === undefined || hostLength > MAX_HOST → hostLength > MAX_HOST'],
    reason: 'A signature that is too short does not have the length that follows from a missing byte either.',
  },
  {
    file: 'captcha/signature.ts',
    mutants: [
      'sealClient: (readU32(stream, 0) ^ (client >>> 0)) >>> 0 → (readU32(stream, 0) ^ (client >>> 0)) >> 0',
      'sealClient: client >>> 0 → client >> 0',
      'sealClient: (readU32(stream, 4) ^ Math.floor(client / 2 ** 32)) >>> 0 → (readU32(stream, 4) ^ Math.floor(client / 2 ** 32)) >> 0',
    ],
    reason: 'All bits are written in both cases.',
  },
  {
    file: 'captcha/traffic/observeTraffic.ts',
    mutants: ["factsOf: '' → 'mutant'"],
    reason: 'Neither text contains the name of a browser.',
  },
  {
    file: 'captcha/traffic/recentTraffic.ts',
    mutants: ['resize: size === 0 → false'],
    reason: 'It only frees memory.',
  },
  {
    file: 'captcha/traffic/recentTraffic.ts',
    mutants: ['evict: one[1] > most[1] → one[1] >= most[1]'],
    reason: 'If two organizations have the same number of records, either can lose data.',
  },
  {
    file: 'captcha/traffic/recentTraffic.ts',
    mutants: ['evict: oldest !== undefined → true'],
    reason: 'The value is never missing, but the compiler cannot infer this.',
  },
  {
    file: 'captcha/unsignedPuzzles.ts',
    mutants: ['isTestPuzzle: i < PUZZLE_SIZE → i <= PUZZLE_SIZE'],
    reason: 'Behind the end of the puzzle, both arrays have no byte.',
  },
  {
    file: 'captcha/unsignedPuzzles.ts',
    mutants: ["TEST_PUZZLE: 'blake2b' → ''"],
    reason: 'A puzzle of version 1 has no byte for its challenge.',
  },
  {
    file: 'captcha/usage.ts',
    mutants: [
      'countSuccess: row < 0 → false',
      'countPuzzle: row >= 0 → true',
      'countVerdict: row >= 0 → true',
      'countKey: row >= 0 → true',
      'merge: row >= 0 → true',
      'rowFor: needsTimes && row >= 0 → needsTimes',
    ],
    reason: 'Reading or writing outside of a typed array has no effect.',
  },
  {
    file: 'captcha/usage.ts',
    mutants: [
      '[PLAIN_SIZE, TIMES_SIZE]: COUNTS_SIZE - COUNTER.solved → COUNTS_SIZE + COUNTER.solved',
      'createRows: min → max',
      'open: length * width === counters.length → true',
      'open: min → max',
    ],
    reason: 'It only determines how much memory is allocated.',
  },
  {
    file: 'captcha/usage.ts',
    mutants: ['open: sitekey === undefined → false'],
    reason: 'Both have the same members.',
  },
  {
    file: 'captcha/usage.ts',
    mutants: [
      'addAll: !isTimed → false',
      'first: order ??= Float64Array.from(properties, ({ id = 0 }, row) => id * MAX_ROWS + row).sort() → order = Float64Array.from(properties, ({ id = 0 }, row) => id * MAX_ROWS + row).sort()',
    ],
    reason: 'The other counts are zero, or the order is the same.',
  },
  {
    file: 'captcha/verify.ts',
    mutants: ['isExpected: expected === undefined || expected === sitekey → expected === undefined'],
    reason: 'It only saves work; the result is the same.',
  },
  {
    file: 'captcha/verify.ts',
    mutants: ['isExpected: parsed.ok && parsed.value === sitekey → parsed.value === sitekey'],
    reason: 'A text that is not a sitekey is not equal to one.',
  },
];
