import { add, rotate } from '../blake2b.ts';

/**
 * Creates the programs of a HashWX instance from its seed.
 *
 * @see docs/reference/protocol.md
 */

/** 64-bit words as halves, low before high. */
export type Words = Int32Array;

/**
 * An instruction of a program, packed into an i32: bits 0 to 3 are the operation, 4 to 7 the register that it changes, 8 to 11 its
 * source, and the others its immediate value.
 *
 * Operations 0 to 2 combine the register with the immediate by OR, XOR, or addition, and multiply it by the source. Operation 3
 * multiplies, and then rotates. The others rotate or shift the register, and then combine it with the source: groups of three,
 * for rotations, arithmetic shifts, and logical shifts, with XOR, addition, and subtraction each.
 */
export type Instruction = number;

export const MULTIPLY_ROTATE = 3;

/** Number of programs of an instance, and of the instructions of a program that change a register. */
export const PROGRAMS = 32;
export const INSTRUCTIONS = 8;

/** The register that no program changes. */
const FIXED_REGISTER = 8;

/** v0 to v3 of SipHash before the key is added. */
const INITIAL = [
  ...[0x70736575, 0x736f6d65, 0x6e646f6d, 0x646f7261],
  ...[0x6e657261, 0x6c796765, 0x79746573, 0x74656462],
];

/** @param key of the generator: two words @returns v0 to v3 of SipHash */
export function initialState(key: Words): Words {
  return Int32Array.from(INITIAL, (half, i) => half ^ (key[i % 4] as number));
}

/** A round of SipHash. The parameters are the indexes of v0 to v3. */
export function sipRound(state: Words, v0: number, v1: number, v2: number, v3: number): void {
  const mix = (to: number, by: number, bits: number) => {
    add(state, to, state[by] as number, state[by + 1] as number);
    rotate(state, by, bits);
    state[by] = (state[by] as number) ^ (state[to] as number);
    state[by + 1] = (state[by + 1] as number) ^ (state[to + 1] as number);
  };
  mix(v0, v1, 51);
  mix(v2, v3, 48);
  rotate(state, v0, 32);
  mix(v2, v1, 47);
  mix(v0, v3, 43);
  rotate(state, v2, 32);
}

/** Generates words from a key and a salt. */
export type Generator = {
  /** Starts with a salt. @param low i32 @param high i32 @returns four words, of which the last is the first in the order of the generator */
  readonly start: (low: number, high: number) => Words;
  /** @returns the next four words, in the same array */
  readonly next: () => Words;
};

/** @param key two words */
export function createGenerator(key: Words): Generator {
  const initial = initialState(key);
  const state = initial.slice();
  const rounds = (count: number): Words => {
    for (let i = 0; i < count; i++) sipRound(state, 0, 2, 4, 6);
    return state;
  };
  /** @param index of the low half of a word */
  const xor = (index: number, low: number, high: number) => {
    state[index] = (state[index] as number) ^ low;
    state[index + 1] = (state[index + 1] as number) ^ high;
  };
  return {
    start(low, high) {
      state.set(initial);
      xor(6, low, high);
      rounds(1);
      xor(0, low, high);
      xor(4, 0xbb, 0);
      return rounds(3);
    },
    next() {
      for (let i = 0; i < 8; i++) state[i] = (state[i] as number) ^ (key[i % 4] as number);
      return rounds(4);
    },
  };
}

/** @param key the first two words of the seed @returns `PROGRAMS` times `INSTRUCTIONS` instructions */
export function createPrograms(key: Words): Int32Array {
  const { start, next } = createGenerator(key);
  let state = start(-1, -1);
  const programs: Instruction[] = [];
  const numbers = new Uint32Array(32);
  for (let program = 0; program < PROGRAMS; program++) {
    for (let i = 0; i < 32; i += 2) {
      if (i % 8 < 1 && program + i) state = next();
      numbers.set(state.subarray(6 - (i % 8), 8 - (i % 8)), i);
    }
    programs.push(...createProgram(numbers));
  }
  return Int32Array.from(programs);
}

/** @param numbers 16 words */
function createProgram(numbers: Uint32Array): Instruction[] {
  const low = (i: number) => numbers[2 * i] as number;
  const high = (i: number) => numbers[2 * i + 1] as number;
  const modulo = (i: number, by: number) => ((high(i) % by) * (2 ** 32 % by) + low(i)) % by;
  /** A random order of the registers (Fisher and Yates). */
  const order = [0];
  for (let i = 1; i < INSTRUCTIONS; i++) {
    const j = high(i - 1) % (i + 1);
    order[i] = order[j] as number;
    order[j] = i;
  }
  const template = TEMPLATES[modulo(7, TEMPLATES.length)] as number;
  const permutation = 7 * modulo(7, 128);
  return order.map((to, i) => {
    const isShift = (template >> (7 - i)) & 1;
    const operation = !i ? MULTIPLY_ROTATE : isShift ? 4 + (low(i - 1) % 9) : low(i - 1) % 3;
    const from = i ? (order[+(PERMUTATIONS[permutation + i - 1] as string)] as number) : FIXED_REGISTER;
    const immediate =
      operation < 3 ? [1, 9, 33][modulo(8 + i, 3)] : 1 + modulo(8 + i, operation < 7 ? 63 : 3);
    return operation | (to << 4) | (from << 8) | ((immediate as number) << 12);
  });
}

/** The orders of three multiplications (0) and four shifts (1), the first in bit 6. */
const TEMPLATES = Array.from({ length: 128 }, (_, bits) => bits).filter(
  (bits) => [0, 1, 2, 3, 4, 5, 6].filter((i) => (bits >> i) & 1).length === 4,
);

/** The sources of the instructions 1 to 7, seven digits each: positions in the order of the registers. */
const PERMUTATIONS =
  '234567123756142451673271345631724563456712356721441273564567123457613251237466123475' +
  '654137203267450576342067523407234560742635076532425763043056742467203546752306057234' +
  '605732463570426705234702345670652347506234750632476420530675341071345607416533457601' +
  '361574036457013657041367504143167054675031506731454716035640731631074570134567450631' +
  '764501376450310172456045627106571420741625401672540267154057612460271547016254702615' +
  '546017254612705462170670521471024567506124750621401273560752613236170525761303012675' +
  '375162050612735062173536702153671026075231630275163127056315702712035675062130123746' +
  '246017324610732461370246173027063143017642341267036412704062371437260146731206317042' +
  '640731267401237123046012347523157042450371257014327430153517402351742045712305740123' +
  '574021357403127123405712345073501427540123201345624513062451603310245634560214120356' +
  '45601325123046531602456412035641230612340561234506305124';
