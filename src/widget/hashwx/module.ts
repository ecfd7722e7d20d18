import { createPrograms, INSTRUCTIONS, initialState, MULTIPLY_ROTATE } from './programs.ts';
import type { OpenSearch, Search } from './search.ts';

/**
 * Generates a WebAssembly module that hashes with the programs of a HashWX instance. It uses no feature newer than the first version of
 * WebAssembly. All modules of a worker share one memory.
 *
 * @see WebAssembly Core Specification, chapter 5 (binary format)
 */

/** Bytes of a module, in nested lists. */
type Code = number | readonly Code[];

const LOOP = 3;
const IF = 4;
const END = 0x0b;
const BRANCH = 0x0c;
const BRANCH_IF = 0x0d;
const RETURN = 0x0f;
const CALL = 0x10;
const GET = 0x20;
const SET = 0x21;
const TEE = 0x22;
const I64_LOAD = 0x29;
const I64_STORE = 0x37;
const I32 = 0x41;
const I64 = 0x42;
const I32_NOT_EQUAL = 0x47;
const I32_LESS = 0x49;
const I32_GREATER = 0x4b;
const I32_LESS_OR_EQUAL = 0x4d;
const I32_ADD = 0x6a;
const I32_AND = 0x71;
const I64_ADD = 0x7c;
const I64_SUBTRACT = 0x7d;
const I64_MULTIPLY = 0x7e;
const I64_AND = 0x83;
const I64_OR = 0x84;
const I64_XOR = 0x85;
const I64_SHIFT_RIGHT_SIGNED = 0x87;
const I64_SHIFT_RIGHT = 0x88;
const I64_ROTATE_RIGHT = 0x8a;
const I64_TO_I32 = 0xa7;
const I32_TO_I64 = 0xad;
const NO_RESULT = 0x40;
const TYPE_I32 = 0x7f;
const TYPE_I64 = 0x7e;
const FUNCTION_TYPE = 0x60;

/** The locals of the function that hashes. Its parameter is the nonce; the registers 0 to 8 follow. */
const NONCE = 0;
const REGISTER = 1;
const FIXED = 9;
/** In the first four passes, the address of the last store; then the number of passes. */
const POINTER = 10;
/** The number of branches that remain in a pass. */
const BRANCHES = 11;

/** The size of the memory that the programs read, without its last word, which contains the fixed register. */
const MEMORY_SIZE = 16_384;
/** Address of the key and the state of the generator, in words of 32 bits. */
const INPUT = MEMORY_SIZE / 4 + 2;
/** 0x3fff in signed LEB128. */
const ADDRESS_MASK = [0xff, 0xff, 0];
/** In signed LEB128. */
const MINUS_64 = 0x40;
const MINUS_8 = 0x78;
const MINUS_1 = 0x7f;

/** What each operation does with the immediate, and then with the source. */
const thrice = (code: number) => [code, code, code];
const FIRST = [
  ...[I64_OR, I64_XOR, I64_ADD, I64_ROTATE_RIGHT],
  ...[I64_ROTATE_RIGHT, I64_SHIFT_RIGHT_SIGNED, I64_SHIFT_RIGHT].flatMap(thrice),
];
const COMBINE = [I64_XOR, I64_ADD, I64_SUBTRACT];
const SECOND = [...thrice(I64_MULTIPLY), 0, ...COMBINE, ...COMBINE, ...COMBINE];

/** @returns LEB128 in three bytes. @param value 0 to 2^21 - 1 */
const leb = (value: number): Code => [(value & 127) | 128, ((value >> 7) & 127) | 128, value >> 14];

const flat = (code: Code): number[] => (typeof code === 'number' ? [code] : code.flatMap(flat));

const sized = (bytes: readonly number[]): number[] => [...flat(leb(bytes.length)), ...bytes];

const xor = (to: number, by: Code): Code => [GET, to, by, I64_XOR, SET, to];
const rotate = (local: number, bits: number): Code => [GET, local, I64, bits, I64_ROTATE_RIGHT, SET, local];

/** A round of SipHash; the parameters are locals. */
const sipRound = (v0: number, v1: number, v2: number, v3: number): Code => {
  const mix = (to: number, by: number, bits: number): Code => [
    [GET, to, GET, by, I64_ADD, SET, to],
    [rotate(by, bits), xor(by, [GET, to])],
  ];
  return [
    [mix(v0, v1, 51), mix(v2, v3, 48), rotate(v0, 32)],
    [mix(v2, v1, 47), mix(v0, v3, 43), rotate(v2, 32)],
  ];
};

/** The generator's v0 to v3 are in the registers 7 to 4, because it returns v3 first. */
const V = [8, 7, 6, 5] as const;
const ROUND = sipRound(...V);
const load = (word: number): Code => [GET, POINTER, I64_LOAD, 3, 8 * word];

/** Fills the registers from the nonce. */
const START = flat([
  [I32, leb(MEMORY_SIZE), SET, POINTER],
  V.map((local, i) => [load(3 + i), SET, local]),
  [xor(V[3], [GET, NONCE, I32_TO_I64]), ROUND],
  [xor(V[0], [GET, NONCE, I32_TO_I64]), xor(V[2], [I64, 0xbb, 1]), ROUND, ROUND, ROUND],
  [0, 1, 2, 3].map((i) => [GET, REGISTER + 4 + i, SET, REGISTER + i]),
  V.map((local, i) => xor(local, load(1 + (i % 2)))),
  [ROUND, ROUND, ROUND, ROUND],
  [GET, REGISTER, GET, REGISTER + 4, I64_XOR, I64, MINUS_8, I64_AND, I64, 3, I64_OR, SET, FIXED],
  [GET, POINTER, GET, FIXED, I64_STORE, 3, 0],
]);

/** Stores the registers 7 to 0 before the previous ones. */
const STORE = flat([
  [GET, POINTER, I32, MINUS_64, I32_ADD, SET, POINTER],
  [7, 6, 5, 4, 3, 2, 1, 0].map((i) => [GET, POINTER, GET, REGISTER + i, I64_STORE, 3, 8 * (7 - i)]),
]);

/** Computes the hash from the registers. @returns its upper half */
const FINISH = flat([
  [sipRound(1, 2, 3, 4), sipRound(5, 6, 7, 8)],
  [GET, 4, GET, 8, I64_XOR, GET, FIXED, I64_XOR, I64, 32, I64_SHIFT_RIGHT, I64_TO_I32, END],
]);

/** The parameters start, count, and threshold, and the number of attempts. */
const SEARCH = flat([
  [1, 1, TYPE_I32, LOOP, NO_RESULT, GET, 0, GET, 3, I32_ADD, CALL, 0, GET, 2, I32_LESS_OR_EQUAL],
  [GET, 3, I32, 1, I32_ADD, SET, 3, IF, NO_RESULT, GET, 3, RETURN, END],
  [GET, 3, GET, 1, I32_LESS, BRANCH_IF, 0, END, I32, 0, END],
]);

/** Writes the code of an instruction. @param isMixed whether its source is in the memory */
function writeInstruction(packed: number, isMixed: boolean, code: number[]): void {
  const operation = packed & 15;
  const to = REGISTER + ((packed >> 4) & 15);
  const from = REGISTER + ((packed >> 8) & 15);
  const immediate = packed >> 12;
  code.push(GET, to);
  if (operation === MULTIPLY_ROTATE) code.push(GET, from, I64_MULTIPLY);
  code.push(I64, immediate, FIRST[operation] as number);
  if (operation !== MULTIPLY_ROTATE) {
    code.push(GET, from);
    if (isMixed) code.push(I64_TO_I32, I32, ...ADDRESS_MASK, I32_AND, I64_LOAD, 0, 0);
    code.push(SECOND[operation] as number);
  }
  code.push(SET, to);
}

/** Writes the code of four passes over all programs. The first four passes end when the memory is full. */
function writePasses(programs: Int32Array, isMixed: boolean, code: number[]): void {
  code.push(LOOP, NO_RESULT, I32, 32, SET, BRANCHES);
  programs.forEach((packed, i) => {
    if (i % INSTRUCTIONS < 1) {
      code.push(LOOP, NO_RESULT);
      if (!isMixed) code.push(...STORE);
    }
    writeInstruction(packed, isMixed, code);
    if ((i + 1) % INSTRUCTIONS) return;
    const tested = REGISTER + (((programs[i + 1 - INSTRUCTIONS] as number) >> 4) & 15);
    code.push(GET, BRANCHES);
    // There are at most 32 branches, so the comparison is false if bit 5 is set. The last program has no condition.
    if (i + 1 < programs.length) code.push(GET, tested, I64_TO_I32, I32, 32, I32_AND, I32_GREATER);
    code.push(IF, NO_RESULT, GET, BRANCHES, I32, MINUS_1, I32_ADD, SET, BRANCHES, BRANCH, 1, END, END);
  });
  code.push(GET, POINTER);
  if (isMixed) code.push(I32, 1, I32_ADD, TEE, POINTER, I32, 4, I32_NOT_EQUAL);
  code.push(BRANCH_IF, 0, END);
}

/** @returns a module that imports a memory of 64 KiB, `m.m`, and exports `s`, a `Search` */
function createModule(programs: Int32Array): Uint8Array<ArrayBuffer> {
  const hash = [2, 9, TYPE_I64, 2, TYPE_I32, ...START];
  writePasses(programs, false, hash);
  writePasses(programs, true, hash);
  hash.push(...FINISH);
  return Uint8Array.of(
    ...[0, 97, 115, 109, 1, 0, 0, 0],
    ...[1, 13, 2, FUNCTION_TYPE, 1, TYPE_I32, 1, TYPE_I32],
    ...[FUNCTION_TYPE, 3, TYPE_I32, TYPE_I32, TYPE_I32, 1, TYPE_I32],
    ...[2, 8, 1, 1, 109, 1, 109, 2, 0, 1],
    ...[3, 3, 2, 0, 1],
    ...[7, 5, 1, 1, 115, 0, 1],
    ...[10, ...sized([2, ...sized(hash), ...sized(SEARCH)])],
  );
}

/**
 * Prepares the search with WebAssembly.
 *
 * @throws if WebAssembly is not available; the function also throws if the page's content security policy blocks it
 */
export function createModuleSearch(): OpenSearch {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 1 });
  const words = new Int32Array(memory.buffer);
  return (seed) => {
    const key = seed.slice(4);
    words.set([...key, ...initialState(key)], INPUT);
    const module = new WebAssembly.Module(createModule(createPrograms(seed)));
    return new WebAssembly.Instance(module, { m: { m: memory } }).exports.s as Search;
  };
}
