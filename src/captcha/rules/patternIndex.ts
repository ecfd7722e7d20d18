import type { Steps } from '../../lib/pacer.ts';
import { matchesPattern, type Pattern } from '../../model/rules/pattern.ts';
import { addAll, createBits, type Index, type RuleBits, setBit } from './ruleSets.ts';

/** A pattern of a rule. */
export type RulePattern = { readonly pattern: Pattern; readonly rule: number };

export type PatternOptions = {
  /** The number of rules in the list. */
  readonly rules: number;
  /** Whether case is ignored. The patterns are in lowercase then. */
  readonly ignoresCase: boolean;
};

/** A gram is a sequence of three characters of US-ASCII. */
const GRAM = 3;

/** Parts of the usual user agents, whose grams say little about a request. */
const USUAL =
  'mozilla/5.0 (windows nt 10.0; win64; x64; rv:140.0) applewebkit/537.36 (khtml, like gecko) chrome/140.0.0.0 safari/537.36 edg/140.0.0.0 ' +
  'gecko/20100101 firefox/140.0 (macintosh; intel mac os x 10_15_7) applewebkit/605.1.15 version/18.0 mobile/15e148 (iphone; cpu iphone os ' +
  '18_0 like mac os x) (linux; android 10; k) (x11; linux x86_64; compatible; www. bot';

/**
 * Finds the matching patterns without comparing the text with each of them: every pattern is stored under one of its grams, the rarest
 * one, and only the patterns under the grams of the text are compared. A text costs 1 to 2 ns for each character, whatever the number of
 * patterns.
 *
 * Comparing each pattern takes 9 instead of 0.5 µs for 100 rules with a user agent, 5 to 10 instead of 0.6 µs for 100 rules with user
 * agents, headers, and paths, and 120 instead of 0.9 µs for 1,000 patterns (test/bench/studies/rules.ts, which alternates between lists as a
 * server does; Bun 1.4.5). One regular expression for all patterns is as fast as this index, but compiling one with 1,000 patterns blocks
 * the event loop for 20 to 350 ms. The index hardly improves the worst case: 2.4 ms for 1,000 patterns that a text almost matches, and
 * 2.6 ms without it.
 */
export function* createPatternIndex(
  patterns: readonly RulePattern[],
  { rules, ignoresCase }: PatternOptions,
): Steps<Index<string>> {
  const exact = new Map<string, RuleBits>();
  const always = createBits(rules);
  const others: RulePattern[] = [];
  for (const one of patterns) {
    const { parts } = one.pattern;
    if (parts.length === 1)
      setBit(
        getOrCreate(exact, parts[0] ?? '', () => createBits(rules)),
        one.rule,
      );
    else if (parts.every((part) => part === '')) setBit(always, one.rule);
    else others.push(one);
  }
  yield;
  const grams = createGramIndex(yield* assignSlots(others));
  const bytes = INDEX_BYTES + grams.bytes + sizeOf(patterns) + exact.size * SET_BYTES;
  return { bytes, find: createFind({ exact, always, grams, ignoresCase }) };
}

type Prepared = {
  /** The patterns without an asterisk. */
  readonly exact: ReadonlyMap<string, RuleBits>;
  /** The rules with a pattern that matches every text. */
  readonly always: RuleBits;
  /** All other patterns. */
  readonly grams: ReturnType<typeof createGramIndex>;
  readonly ignoresCase: boolean;
};

function createFind({ exact, always, grams, ignoresCase }: Prepared): Index<string>['find'] {
  const fold = (text: string) => (ignoresCase ? text.toLowerCase() : text);

  function findOthers(text: string, found: RuleBits): void {
    const { listOf, mask } = grams;
    const { length } = text;
    grams.begin();
    let [slot, folded] = [0, ''];
    for (let at = 0; at < length; at++) {
      slot = nextSlot(slot, text.charCodeAt(at));
      if (listOf[slot & mask] === 0) continue;
      // Most texts have no candidate, and need not be converted.
      if (folded === '') folded = fold(text);
      compare(grams.take(slot & mask), folded, found);
    }
  }

  return (text, found) => {
    addAll(found, always);
    const same = exact.size > 0 ? exact.get(fold(text)) : undefined;
    if (same !== undefined) addAll(found, same);
    if (grams.withoutGram.length > 0) compare(grams.withoutGram, fold(text), found);
    if (grams.hasPatterns) findOthers(text, found);
  };
}

/** Estimated sizes of an empty index, of a set, of a pattern, and of a part of a pattern without its characters (Bun 1.4.5). */
const [INDEX_BYTES, SET_BYTES, PATTERN_BYTES, PART_BYTES] = [3072, 128, 256, 48];

function sizeOf(patterns: readonly RulePattern[]): number {
  return patterns.reduce(
    (sum, { pattern: { parts } }) =>
      parts.reduce((bytes, { length }) => bytes + PART_BYTES + length, sum + PATTERN_BYTES),
    0,
  );
}

function compare(list: readonly RulePattern[], text: string, found: RuleBits): void {
  for (const { pattern, rule } of list) if (matchesPattern(pattern, text)) setBit(found, rule);
}

function getOrCreate<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const created = create();
  map.set(key, created);
  return created;
}

function createGramIndex({ slots, withoutGram, mask }: AssignedSlots) {
  const lists = [...slots.values()];
  /** For each slot, the index of its list plus one; 0 if it is empty. */
  const listOf = new Uint16Array(lists.length === 0 ? 0 : mask + 1);
  for (const [index, slot] of [...slots.keys()].entries()) listOf[slot] = index + 1;
  /** The last text that each list was compared with, so that a text that repeats a gram costs no more than one comparison. */
  const lastTexts = new Float64Array(lists.length);
  let texts = 0;
  return {
    /** The patterns of less than three characters. */
    withoutGram,
    hasPatterns: lists.length > 0,
    bytes: listOf.byteLength + lastTexts.byteLength,
    mask,
    listOf,
    begin(): void {
      texts++;
    },
    /** @returns the patterns under a slot; none if this text was already compared with them */
    take(slot: number): readonly RulePattern[] {
      const list = (listOf[slot] as number) - 1;
      if (lastTexts[list] === texts) return [];
      lastTexts[list] = texts;
      return lists[list] ?? [];
    },
  };
}

type AssignedSlots = {
  readonly slots: ReadonlyMap<number, readonly RulePattern[]>;
  readonly withoutGram: readonly RulePattern[];
  /** The number of slots minus one. */
  readonly mask: number;
};

/** Assigns each pattern to the slot of its rarest gram. */
function* assignSlots(patterns: readonly RulePattern[]): Steps<AssignedSlots> {
  const size = Math.min(MAX_SLOTS, 2 ** Math.ceil(Math.log2(Math.max(MIN_SLOTS, 4 * patterns.length))));
  const mask = size - 1;
  const slots = new Map<number, RulePattern[]>();
  const withoutGram: RulePattern[] = [];
  const usual = new Set(slotsOf(USUAL, mask));
  for (const one of patterns) {
    const cost = (slot: number) => (usual.has(slot) ? patterns.length : 0) + (slots.get(slot)?.length ?? 0);
    const [first, ...rest] = one.pattern.parts.flatMap((part) => slotsOf(part, mask));
    if (first === undefined) withoutGram.push(one);
    else {
      const slot = rest.reduce((best, each) => (cost(each) < cost(best) ? each : best), first);
      getOrCreate<number, RulePattern[]>(slots, slot, () => []).push(one);
    }
    yield;
  }
  return { slots, withoutGram, mask };
}

/** Numbers of slots, powers of two: four for each of 1,000 patterns, 8 KiB; and 2 KiB, because a list can have many indexes. */
const [MAX_SLOTS, MIN_SLOTS] = [4096, 1024];

/** Codes of US-ASCII with uppercase letters as lowercase letters, because grams ignore case even if patterns do not. */
const FOLDED = Uint8Array.from({ length: 128 }, (_, code) =>
  code >= 0x41 && code <= 0x5a ? code + 0x20 : code,
);

/** Appends a character to a gram. The shift moves the characters before the last three out of the slot. */
function nextSlot(slot: number, code: number): number {
  return ((slot << 4) ^ (FOLDED[code & 0x7f] as number)) & (MAX_SLOTS - 1);
}

/** @returns the slots of all grams of a text */
function slotsOf(text: string, mask: number): readonly number[] {
  const slots: number[] = [];
  let [slot, ascii] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    slot = nextSlot(slot, code);
    ascii = code < 0x80 ? ascii + 1 : 0;
    if (ascii >= GRAM) slots.push(slot & mask);
  }
  return slots;
}
