/**
 * HashWX, written to be read: with BigInt, without optimization. The other implementations are compared with it.
 *
 * @see docs/reference/protocol.md#hashwx
 */
import type { Search } from '../../../src/widget/hashwx/search.ts';

const U64 = 2n ** 64n - 1n;
const SCRATCHPAD_SIZE = 16_384;
const PROGRAM_COUNT = 32;
const NUMBERS_OF_PROGRAM = 16;
const BRANCHES = 32;
const PASSES = 4;

const rotateRight = (x: bigint, bits: bigint) => ((x >> bits) | (x << (64n - bits))) & U64;
const toSigned = (x: bigint) => BigInt.asIntN(64, x);
const readU64 = (bytes: Uint8Array, at: number) =>
  new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(at, true);
const writeU64 = (bytes: Uint8Array, at: number, value: bigint) =>
  new DataView(bytes.buffer, bytes.byteOffset).setBigUint64(at, value, true);

type Four = readonly [bigint, bigint, bigint, bigint];

function sipRound([v0, v1, v2, v3]: Four): Four {
  let [a, b, c, d] = [(v0 + v1) & U64, v1, (v2 + v3) & U64, v3];
  b = rotateRight(b, 51n) ^ a;
  d = rotateRight(d, 48n) ^ c;
  a = rotateRight(a, 32n);
  c = (c + b) & U64;
  a = (a + d) & U64;
  b = rotateRight(b, 47n) ^ c;
  d = rotateRight(d, 43n) ^ a;
  c = rotateRight(c, 32n);
  return [a, b, c, d];
}

const rounds = (state: Four, count: number): Four =>
  count === 0 ? state : rounds(sipRound(state), count - 1);

/** @param key 16 bytes @returns `count` pseudorandom numbers, u64 */
function numbersOf(key: Uint8Array, salt: bigint, count: number): readonly bigint[] {
  const [k0, k1] = [readU64(key, 0), readU64(key, 8)];
  const [c0, c1, c2, c3] = [
    0x736f6d6570736575n,
    0x646f72616e646f6dn,
    0x6c7967656e657261n,
    0x7465646279746573n,
  ];
  const [v0, v1, v2, v3] = sipRound([c0 ^ k0, c1 ^ k1, c2 ^ k0, c3 ^ k1 ^ salt]);
  let state = rounds([v0 ^ salt, v1, v2 ^ 0xbbn, v3], 3);
  const numbers: bigint[] = [];
  while (numbers.length < count) {
    numbers.push(...state.toReversed());
    state = rounds([state[0] ^ k0, state[1] ^ k1, state[2] ^ k0, state[3] ^ k1], 4);
  }
  return numbers.slice(0, count);
}

type Opcode = `${'MUL'}${'OR' | 'XOR' | 'ADD'}` | `${'XOR' | 'ADD' | 'SUB'}${'ROR' | 'ASR' | 'LSR'}` | 'RMCG';

type Instruction = {
  readonly opcode: Opcode;
  /** Indexes of registers. */
  readonly destination: number;
  readonly source: number;
  readonly immediate: bigint;
};

export type Program = readonly Instruction[];

const MULTIPLICATIONS = ['MULOR', 'MULXOR', 'MULADD'] as const;
const OTHERS = [
  ...(['XORROR', 'ADDROR', 'SUBROR'] as const),
  ...(['XORASR', 'ADDASR', 'SUBASR'] as const),
  ...(['XORLSR', 'ADDLSR', 'SUBLSR'] as const),
];

/** The 35 words of three M and four X, in alphabetical order. */
const TEMPLATES = Array.from({ length: 128 }, (_, bits) => bits.toString(2).padStart(7, '0'))
  .filter((bits) => bits.replaceAll('0', '').length === 4)
  .map((bits) => bits.replaceAll('0', 'M').replaceAll('1', 'X'));

// biome-ignore format: a table
export const PERMUTATIONS = `
  02345671 02375614 02451673 02713456 03172456 03456712 03567214 04127356
  04567123 04576132 05123746 06123475 06541372 10326745 10576342 10675234
  10723456 10742635 10765324 12576304 13056742 14672035 14675230 16057234
  16057324 16357042 16705234 17023456 17065234 17506234 17506324 17642053
  20675341 20713456 20741653 23457601 23615740 23645701 23657041 23675041
  24316705 24675031 25067314 25471603 25640731 26310745 27013456 27450631
  27645013 27645031 30172456 30456271 30657142 30741625 34016725 34026715
  34057612 34602715 34701625 34702615 35460172 35461270 35462170 36705214
  37102456 37506124 37506214 40127356 40752613 42361705 42576130 43012675
  43751620 45061273 45062173 45367021 45367102 46075231 46302751 46312705
  46315702 47120356 47506213 50123746 52460173 52461073 52461370 52461730
  52706314 53017642 53412670 53641270 54062371 54372601 54673120 56317042
  56407312 56740123 57123046 60123475 62315704 62450371 62570143 62743015
  63517402 63517420 64571230 65740123 65740213 65740312 67123405 67123450
  67350142 67540123 72013456 72451306 72451603 73102456 73456021 74120356
  74560132 75123046 75316024 75641203 75641230 76123405 76123450 76305124
`.trim().split(/\s+/);

/** @param numbers 16 of them @returns the instructions 1 to 8 */
function programOf(numbers: readonly bigint[]): Program {
  const number = (i: number) => numbers[i] as bigint;
  const destinations = shuffled(numbers);
  const template = TEMPLATES[Number(number(7) % 35n)] as string;
  const permutation = PERMUTATIONS[Number(number(7) % 128n)] as string;
  return destinations.map((destination, i) => {
    const opcode = i === 0 ? 'RMCG' : opcodeOf(template[i - 1] as string, number(i - 1) & 0xffff_ffffn);
    const source = i === 0 ? 8 : (destinations[Number(permutation[i])] as number);
    return { opcode, destination, source, immediate: immediateOf(opcode, number(8 + i)) };
  });
}

function opcodeOf(letter: string, low: bigint): Opcode {
  return letter === 'M'
    ? (MULTIPLICATIONS[Number(low % 3n)] as Opcode)
    : (OTHERS[Number(low % 9n)] as Opcode);
}

/** The method of Fisher and Yates. */
function shuffled(numbers: readonly bigint[]): readonly number[] {
  const order = [0];
  for (let i = 1; i < 8; i++) {
    const j = Number(((numbers[i - 1] as bigint) >> 32n) % BigInt(i + 1));
    order[i] = i;
    order[i] = order[j] as number;
    order[j] = i;
  }
  return order;
}

function immediateOf(opcode: Opcode, number: bigint): bigint {
  if (opcode.startsWith('MUL')) return [1n, 9n, 33n][Number(number % 3n)] as bigint;
  return 1n + (number % (opcode === 'RMCG' || opcode.endsWith('ROR') ? 63n : 3n));
}

/** @param seed 32 bytes @returns the 32 programs */
export function programsOf(seed: Uint8Array): readonly Program[] {
  const numbers = numbersOf(seed.subarray(0, 16), U64, PROGRAM_COUNT * NUMBERS_OF_PROGRAM);
  return Array.from({ length: PROGRAM_COUNT }, (_, i) =>
    programOf(numbers.slice(i * NUMBERS_OF_PROGRAM, (i + 1) * NUMBERS_OF_PROGRAM)),
  );
}

function resultOf({ opcode, immediate }: Instruction, x: bigint, y: bigint): bigint {
  switch (opcode) {
    case 'RMCG':
      return rotateRight((x * y) & U64, immediate);
    case 'MULOR':
      return (x | immediate) * y;
    case 'MULXOR':
      return (x ^ immediate) * y;
    case 'MULADD':
      return (x + immediate) * y;
    case 'XORROR':
      return rotateRight(x, immediate) ^ y;
    case 'ADDROR':
      return rotateRight(x, immediate) + y;
    case 'SUBROR':
      return rotateRight(x, immediate) - y;
    case 'XORASR':
      return (toSigned(x) >> immediate) ^ y;
    case 'ADDASR':
      return (toSigned(x) >> immediate) + y;
    case 'SUBASR':
      return (toSigned(x) >> immediate) - y;
    case 'XORLSR':
      return (x >> immediate) ^ y;
    case 'ADDLSR':
      return (x >> immediate) + y;
    case 'SUBLSR':
      return (x >> immediate) - y;
  }
}

/** Creates the hash function of a seed. @param seed 32 bytes @returns u64 of a nonce, u64 */
export function createReference(seed: Uint8Array): (nonce: bigint) => bigint {
  const programs = programsOf(seed);
  return (nonce) => {
    const registers = [...numbersOf(seed.subarray(16, 32), nonce, 8)];
    const at = (i: number) => registers[i] as bigint;
    registers.push(((at(0) ^ at(4)) & (U64 - 7n)) | 3n);
    const scratchpad = new Uint8Array(SCRATCHPAD_SIZE + 8);
    writeU64(scratchpad, SCRATCHPAD_SIZE, at(8));
    let top = SCRATCHPAD_SIZE;

    /** @returns whether the program must not run again */
    function runProgram(program: Program, usesMemory: boolean): boolean {
      if (!usesMemory) {
        top -= 64;
        for (let i = 0; i < 8; i++) writeU64(scratchpad, top + 8 * i, at(7 - i));
      }
      let flag = false;
      for (const instruction of program) {
        const { opcode, destination, source } = instruction;
        const isDirect = opcode === 'RMCG' || !usesMemory;
        const y = isDirect ? at(source) : readU64(scratchpad, Number(at(source) % BigInt(SCRATCHPAD_SIZE)));
        registers[destination] = resultOf(instruction, at(destination), y) & U64;
        if (opcode === 'RMCG') flag = (at(destination) & 32n) !== 0n;
      }
      return flag;
    }

    for (let pass = 0; pass < 2 * PASSES; pass++) {
      let branches = BRANCHES;
      programs.forEach((program, i) => {
        const isLast = i === PROGRAM_COUNT - 1;
        while ((!runProgram(program, pass >= PASSES) || isLast) && branches > 0) branches--;
      });
    }
    const [, , , r3] = sipRound([at(0), at(1), at(2), at(3)]);
    const [, , , r7] = sipRound([at(4), at(5), at(6), at(7)]);
    return r3 ^ r7 ^ at(8);
  };
}

/** @returns whether a search of the widget accepts the hash of the nonce at this threshold, and not at the next lower one */
export function hasHash(search: Search, nonce: number, upperHalf: number): boolean {
  const isLeast = upperHalf === 0 || search(nonce, 1, upperHalf - 1) === 0;
  return search(nonce, 1, upperHalf) === 1 && isLeast;
}
