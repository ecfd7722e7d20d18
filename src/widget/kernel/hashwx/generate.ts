// AssemblyScript. Creates the programs of a seed.

import {
  ADDEND,
  ADDEND_OR,
  CODE,
  DESTINATION,
  IMMEDIATE,
  INSTRUCTION_SIZE,
  IS_SIGNED,
  NUMBERS,
  NUMBERS_OF_PROGRAM,
  PROGRAM_COUNT,
  ROTATES,
  SEED,
  SOURCE,
  SUBTRACTS,
  TYPE,
  XORS,
} from './layout';
import { writeNumbers } from './siphash';

/** Orders in which the sources of a program are taken from its destinations: eight digits each. The first digit is not used. */
// biome-ignore format: a table
const PERMUTATIONS: usize = memory.data<u32>([
  0x02345671, 0x02375614, 0x02451673, 0x02713456, 0x03172456, 0x03456712, 0x03567214, 0x04127356,
  0x04567123, 0x04576132, 0x05123746, 0x06123475, 0x06541372, 0x10326745, 0x10576342, 0x10675234,
  0x10723456, 0x10742635, 0x10765324, 0x12576304, 0x13056742, 0x14672035, 0x14675230, 0x16057234,
  0x16057324, 0x16357042, 0x16705234, 0x17023456, 0x17065234, 0x17506234, 0x17506324, 0x17642053,
  0x20675341, 0x20713456, 0x20741653, 0x23457601, 0x23615740, 0x23645701, 0x23657041, 0x23675041,
  0x24316705, 0x24675031, 0x25067314, 0x25471603, 0x25640731, 0x26310745, 0x27013456, 0x27450631,
  0x27645013, 0x27645031, 0x30172456, 0x30456271, 0x30657142, 0x30741625, 0x34016725, 0x34026715,
  0x34057612, 0x34602715, 0x34701625, 0x34702615, 0x35460172, 0x35461270, 0x35462170, 0x36705214,
  0x37102456, 0x37506124, 0x37506214, 0x40127356, 0x40752613, 0x42361705, 0x42576130, 0x43012675,
  0x43751620, 0x45061273, 0x45062173, 0x45367021, 0x45367102, 0x46075231, 0x46302751, 0x46312705,
  0x46315702, 0x47120356, 0x47506213, 0x50123746, 0x52460173, 0x52461073, 0x52461370, 0x52461730,
  0x52706314, 0x53017642, 0x53412670, 0x53641270, 0x54062371, 0x54372601, 0x54673120, 0x56317042,
  0x56407312, 0x56740123, 0x57123046, 0x60123475, 0x62315704, 0x62450371, 0x62570143, 0x62743015,
  0x63517402, 0x63517420, 0x64571230, 0x65740123, 0x65740213, 0x65740312, 0x67123405, 0x67123450,
  0x67350142, 0x67540123, 0x72013456, 0x72451306, 0x72451603, 0x73102456, 0x73456021, 0x74120356,
  0x74560132, 0x75123046, 0x75316024, 0x75641203, 0x75641230, 0x76123405, 0x76123450, 0x76305124,
]);

/** The 35 orders of three multiplications (0) and four other instructions (1), in ascending order; the first one is bit 6. */
// biome-ignore format: a table
const TEMPLATES: usize = memory.data<u8>([
  0x0f, 0x17, 0x1b, 0x1d, 0x1e, 0x27, 0x2b, 0x2d, 0x2e, 0x33, 0x35, 0x36, 0x39, 0x3a, 0x3c, 0x47, 0x4b, 0x4d,
  0x4e, 0x53, 0x55, 0x56, 0x59, 0x5a, 0x5c, 0x63, 0x65, 0x66, 0x69, 0x6a, 0x6c, 0x71, 0x72, 0x74, 0x78,
]);

/** Writes the instructions of all programs to `CODE`. */
export function generate(): void {
  writeNumbers(SEED, u64.MAX_VALUE, NUMBERS_OF_PROGRAM * PROGRAM_COUNT);
  let to = CODE;
  const end = NUMBERS + 8 * NUMBERS_OF_PROGRAM * PROGRAM_COUNT;
  for (let at = NUMBERS; at != end; at += 8 * NUMBERS_OF_PROGRAM) {
    const destinations = shuffle(at);
    const choice = load<u64>(at, 56);
    const permutation = load<u32>(PERMUTATIONS + 4 * <usize>(choice & 127));
    const template: u32 = load<u8>(TEMPLATES + <usize>(choice % 35));
    store<u8>(to, registerAt(destinations, 0), DESTINATION);
    store<u8>(to, 1 + load<u64>(at, 64) % 63, IMMEDIATE);
    for (let i: u32 = 1; i != 8; i++) {
      to += INSTRUCTION_SIZE;
      store<u8>(to, registerAt(destinations, i), DESTINATION);
      store<u8>(to, registerAt(destinations, (permutation >> (28 - 4 * i)) & 7), SOURCE);
      const opcode = load<u32>(at + 8 * <usize>(i - 1));
      const number = load<u64>(at + 8 * <usize>i, 64);
      if ((template >> (7 - i)) & 1) writeOther(to, opcode % 9, number);
      else writeMultiplication(to, opcode % 3, number);
    }
    to += INSTRUCTION_SIZE;
  }
}

/** @param opcode 0 OR, 1 XOR, 2 ADD */
function writeMultiplication(to: usize, opcode: u32, number: u64): void {
  // 1, 9, or 33.
  const immediate: u32 = 0x210901 >> (8 * <u32>(number % 3));
  store<u8>(to, immediate, IMMEDIATE);
  store<u8>(to, opcode == 1 ? 0 : immediate, ADDEND_OR);
  store<u8>(to, opcode == 2 ? immediate : 0, ADDEND);
  store<u8>(to, 0, TYPE);
}

/** @param opcode 0 to 2 with a rotation, 3 to 5 with an arithmetic shift, 6 to 8 with a logical shift; in each group XOR, ADD, SUB */
function writeOther(to: usize, opcode: u32, number: u64): void {
  const rotates = opcode < 3;
  const combination = opcode % 3;
  store<u8>(to, 1 + (rotates ? number % 63 : number % 3), IMMEDIATE);
  store<u8>(to, rotates ? 255 : 0, ROTATES);
  store<u8>(to, opcode - 3 < 3 ? 255 : 0, IS_SIGNED);
  store<u8>(to, combination == 2 ? 255 : 0, SUBTRACTS);
  store<u8>(to, combination == 0 ? 255 : 0, XORS);
  store<u8>(to, 1, TYPE);
}

/** @param order from `shuffle` @returns the offset of the register at the index */
// @ts-ignore: a decorator on a function is AssemblyScript's
@inline
function registerAt(order: u32, index: u32): u32 {
  return ((order >> (4 * index)) & 7) << 3;
}

/** @returns a permutation of the eight registers: 4 bits each, the first one in the lowest bits (Fisher and Yates) */
function shuffle(at: usize): u32 {
  let order: u32 = 0;
  for (let i: u32 = 1; i != 8; i++) {
    const j = 4 * (load<u32>(at + 8 * <usize>(i - 1), 4) % (i + 1));
    const moved = (order >> j) & 15;
    order = (order & ~(15 << j)) | (i << j) | (moved << (4 * i));
  }
  return order;
}
