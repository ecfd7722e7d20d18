import { wordAt } from './blake2b.ts';

/**
 * Generates the WebAssembly module of the solver with SIMD. BLAKE2b repeats one step 192 times, so this program is much smaller than the
 * module.
 *
 * Five counters are tried at a time: two pairs in vectors (`P` and `Q`) and one in integers (`V`). More or fewer counters were slower in
 * at least one engine; docs/project/experiments.md has the measurements, including those of the order below: V, P, and Q each compute
 * half a round in turn, and the loop ends in the middle of the last round.
 *
 * @see WebAssembly Core Specification, chapter 5 (binary format)
 */

/** Bytes of a module, in nested lists. */
type Code = number | readonly Code[];

/**
 * Number of words in the memory: v0 to v15 before the first step, then the words of the block in the order of the rounds 0 to 11. Each word
 * has copies: two for each vector, and one for the integers. The sixth is not used.
 */
export const WORDS = 208;
export const COPIES = 6;
const WORD_SIZE = 8 * COPIES;
const ROUND_SIZE = 16 * WORD_SIZE;
const LAST_ROUND = 10 * ROUND_SIZE;

/** Low half of h0 without a key and with a hash of 32 bytes (RFC 7693, section 3.2), a signed number in LEB128. */
const H0 = [0xa8, 0x92, 0xf7, 0x95, 0x7f];

const BLOCK = 2;
const LOOP = 3;
const IF = 4;
const END = 0x0b;
const BRANCH = 0x0c;
const BRANCH_IF = 0x0d;
const RETURN = 0x0f;
const SELECT = 0x1b;
const GET = 0x20;
const SET = 0x21;
const TEE = 0x22;
const I32 = 0x41;
const I64 = 0x42;
const I32_EQUAL = 0x46;
const I32_LESS = 0x49;
const I32_LESS_OR_EQUAL = 0x4d;
const I32_ADD = 0x6a;
const I32_XOR = 0x73;
const I64_OR = 0x84;
const I64_SHIFT_LEFT = 0x86;
const I32_TO_I64 = 0xad;
const I64_TO_I32 = 0xa7;
const VECTOR = 0xfd;
const NO_RESULT = 0x40;
const TYPE_I32 = 0x7f;
const TYPE_I64 = 0x7e;
const TYPE_V128 = 0x7b;
const FUNCTION_TYPE = 0x60;

// The locals. The first four are the parameters.
const PREFIX = 0;
const START = 1;
const COUNT = 2;
const THRESHOLD = 3;
const ATTEMPTS = 4;
/** The distance of the current round from the first, in bytes. */
const ROUND = 5;

/** The position of the first solution among the five counters, 1 to 5. It uses the local of `ROUND` after the last round. */
const FOUND = 5;

/** The instructions of a lane. */
type Lane = {
  /**
   * The local of v4, the last of the 16 of the state. The solution follows, and then a copy of the 16 locals before
   * the first step that depends on the solution.
   */
  readonly local: number;
  /** The offset of its copy of a word. */
  readonly copy: number;
  readonly load: Code;
  readonly store: Code;
  readonly sum: Code;
  readonly xor: Code;
  /** Rotates to the right. @param scratch a local */
  readonly rotate: (bits: number, scratch: number) => Code;
};

/**
 * The distances of v0, v4, v8, and v12 from `local`. The memory has the same order as the locals: v15 to v12, v3 to v0, v11 to v8, and v7 to
 * v4. Engines assign registers in this order: on x64, JavaScriptCore needs 10% more loads and stores in the usual order.
 */
const ROWS = [8, 0, 4, 12];
const V0 = -8;
const V8 = -4;
const SOLUTION = 1;
const SHARED = 17;

const V: Lane = {
  local: 21,
  copy: 32,
  load: 0x29,
  store: 0x37,
  sum: 0x7c,
  xor: 0x85,
  rotate: (bits) => [I64, bits, 0x8a],
};

const [P, Q] = [0, 1].map((i): Lane => {
  const sum = [VECTOR, 0xce, 1];
  return {
    local: 54 + 33 * i,
    copy: 16 * i,
    load: [VECTOR, 0],
    store: [VECTOR, 11],
    sum,
    xor: [VECTOR, 0x51],
    rotate(bits, scratch) {
      const twice = [TEE, scratch, GET, scratch];
      const bytes = repeat(16, (lane) => (lane & 8) | ((lane + bits / 8) & 7));
      // x + x, or x shifted to the right by 63.
      if (bits > 32) return [twice, sum, GET, scratch, I32, 63, VECTOR, 0xcd, 1, VECTOR, 0x50];
      // A shuffle. For the others, swizzles are faster: 12.9 MH/s in JavaScriptCore and 15.8 in V8, compared with 8.4 and 13.7 for shifts.
      return bits > 24 ? [twice, VECTOR, 13, bytes] : [VECTOR, 12, bytes, VECTOR, 14];
    },
  };
}) as [Lane, Lane];
const LANES = [V, P, Q];

function repeat(count: number, codeOf: (i: number) => Code): Code {
  return Array.from({ length: count }, (_, i) => codeOf(i));
}

/** @returns LEB128 in two bytes. @param value 0 to 8191; or to 16383 if it is unsigned */
const leb = (value: number): Code => [(value & 127) | 128, value >> 7];

/** The lists are nested less deeply than this. */
const DEPTH = 99;
const flat = (code: readonly unknown[]) => code.flat(DEPTH) as number[];

const sized = (...code: readonly Code[]): Code => [leb(flat(code).length), code];

/** @returns the alignment and the offset of a word */
const at = (copy: number, word: number): Code => [3, leb(copy + word * WORD_SIZE)];

/**
 * Returns `count` steps of all lanes. The steps 0 to 15 are those of round 0, and 16 to 31 those of the current round: four columns, then
 * four diagonals; two words each.
 */
const compress = (count: number, first: number): Code =>
  LANES.map(({ local, copy, load, sum, xor, rotate }) =>
    repeat(count, (i) => {
      const step = first + i;
      const [a, b, c, d] = ROWS.map(
        (distance, row) => local - distance - (((step >> 1) + ((step >> 3) & 1) * row) & 3),
      ) as [number, number, number, number];
      const isSecond = step & 1;
      return [
        [GET, a, GET, ROUND, load, at(copy, 16 + step), sum, GET, b, sum, TEE, a],
        [GET, d, xor, rotate(isSecond ? 16 : 32, d), TEE, d],
        [GET, c, sum, TEE, c],
        [GET, b, xor, rotate(isSecond ? 63 : 24, b), SET, b],
      ];
    }),
  );

/** @returns the code for the 16 words of all lanes. @param index of the word, 0 to 15 */
const forState = (codeOf: (local: number, lane: Lane, index: number) => Code): Code =>
  LANES.map((lane) => repeat(16, (index) => codeOf(lane.local - 15 + index, lane, index)));

/** @returns the solution with the counter that follows the next `skipped` counters */
const solutionAfter = (skipped: number): Code => [
  [GET, START, GET, ATTEMPTS, I32_ADD, I32, skipped, I32_ADD, I32_TO_I64, I64, 32, I64_SHIFT_LEFT],
  [GET, PREFIX, I32_TO_I64, I64_OR],
];

/** Computes the solutions of all lanes, and writes them to the words 15. */
const WRITE_SOLUTIONS: Code = [
  [solutionAfter(0), SET, V.local + SOLUTION],
  [P, Q].map(({ local }, i) => [
    // Both halves, and then the second one.
    [solutionAfter(2 * i + 1), VECTOR, 18, solutionAfter(2 * i + 2), VECTOR, 30, 1],
    [SET, local + SOLUTION],
  ]),
  repeat(192, (i) =>
    wordAt(i) < 15
      ? []
      : LANES.map(({ local, copy, store }) => [I32, 0, GET, local + SOLUTION, store, at(copy, 16 + i)]),
  ),
];

/** The low halves of the hashes in the order of their counters. */
const HASHES: readonly (readonly [Lane, Code])[] = [
  [V, I64_TO_I32],
  [P, [VECTOR, 27, 0]],
  [P, [VECTOR, 27, 2]],
  [Q, [VECTOR, 27, 0]],
  [Q, [VECTOR, 27, 2]],
];

/** Selects the position of the first hash that is at most the threshold, 1 to 5; 0 if there is none. */
const SELECT_FOUND = HASHES.reduceRight<Code>(
  (later, [{ local, xor }, low32], i) => [
    [I32, i + 1, later, GET, local + V0, GET, local + V8, xor, low32],
    [I32, H0, I32_XOR, GET, THRESHOLD, I32_LESS_OR_EQUAL, SELECT],
  ],
  [I32, 0],
);

const SEARCH: Code = [
  [3, 2, TYPE_I32, 33, TYPE_I64, 66, TYPE_V128],
  forState((local, { copy, load }, index) => [I32, 0, load, at(copy, index), SET, local]),
  compress(15, 0),
  forState((local) => [GET, local, SET, local + SHARED]),
  [LOOP, NO_RESULT, WRITE_SOLUTIONS, I32, 0, SET, ROUND],
  forState((local) => [GET, local + SHARED, SET, local]),
  [compress(1, 15), BLOCK, NO_RESULT, LOOP, NO_RESULT, compress(8, 16)],
  [GET, ROUND, I32, leb(LAST_ROUND), I32_EQUAL, BRANCH_IF, 1],
  [compress(8, 24), GET, ROUND, I32, leb(ROUND_SIZE), I32_ADD, SET, ROUND, BRANCH, 0, END, END],
  // The diagonals that v0 and v8 need.
  [compress(2, 24), compress(2, 28), SELECT_FOUND, TEE, FOUND],
  // If it is beyond the range, the range has no solution.
  [IF, NO_RESULT, GET, ATTEMPTS, GET, FOUND, I32_ADD, TEE, FOUND, I32, 0],
  [GET, FOUND, GET, COUNT, I32_LESS_OR_EQUAL, SELECT, RETURN, END],
  [GET, ATTEMPTS, I32, 5, I32_ADD, TEE, ATTEMPTS, GET, COUNT, I32_LESS, BRANCH_IF, 0, END, I32, 0, END],
];

/**
 * Returns a module with a memory, `m`, and a function, `s`, with the parameters prefix, start, count, and threshold: it tries `count`
 * counters, and returns the number of attempts, or 0 if none was successful.
 */
export const createSimdKernel = (): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(
    flat([
      [0, 97, 115, 109, 1, 0, 0, 0],
      [1, 9, 1, FUNCTION_TYPE, 4, TYPE_I32, TYPE_I32, TYPE_I32, TYPE_I32, 1, TYPE_I32],
      [3, 2, 1, 0],
      // A memory of 64 KiB.
      [5, 3, 1, 0, 1],
      [7, 9, 2, 1, 109, 2, 0, 1, 115, 0, 0],
      [10, sized(1, sized(SEARCH))],
    ]),
  );
