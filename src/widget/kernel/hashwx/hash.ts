// AssemblyScript. HashWX with an interpreter (docs/reference/protocol.md#hashwx). The server uses it.

import {
  ADDEND,
  ADDEND_OR,
  CODE,
  DESTINATION,
  IMMEDIATE,
  INSTRUCTION_COUNT,
  INSTRUCTION_SIZE,
  IS_SIGNED,
  NUMBERS,
  PROGRAM_COUNT,
  REGISTERS,
  RESULT,
  ROTATES,
  SCRATCHPAD,
  SCRATCHPAD_SIZE,
  SEED,
  SOURCE,
  SUBTRACTS,
  TYPE,
  XORS,
} from './layout';
import { mixWords, writeNumbers } from './siphash';

export { generate } from './generate';

/** Number of times that all programs run, before and after the scratchpad is full, and of the branches in one of these times. */
const PASSES = 4;
const BRANCHES: u32 = 32;

const PROGRAM_SIZE: usize = INSTRUCTION_COUNT * INSTRUCTION_SIZE;
const LAST_PROGRAM: usize = CODE + (PROGRAM_COUNT - 1) * PROGRAM_SIZE;

/**
 * Computes the hash of a nonce with the programs of the last call of `generate`, and writes it to `RESULT`. Runs 512 programs, whatever
 * the seed: every branch uses up one of 32, and the last program uses up the rest.
 *
 * @returns the upper half of the hash
 */
export function hash(nonceLow: u32, nonceHigh: u32): u32 {
  writeNumbers(SEED + 16, <u64>nonceLow | (<u64>nonceHigh << 32), 8);
  for (let i: usize = 0; i != 64; i += 8) store<u64>(REGISTERS + i, load<u64>(NUMBERS + i));
  const multiplier = ((load<u64>(REGISTERS) ^ load<u64>(REGISTERS, 32)) & -8) | 3;
  store<u64>(SCRATCHPAD + SCRATCHPAD_SIZE, multiplier);
  let top = SCRATCHPAD + SCRATCHPAD_SIZE;
  for (let pass = 0; pass < PASSES; pass++) top = runPrograms(multiplier, top, false);
  for (let pass = 0; pass < PASSES; pass++) runPrograms(multiplier, 0, true);
  mixWords(REGISTERS);
  mixWords(REGISTERS + 32);
  const result = load<u64>(REGISTERS, 24) ^ load<u64>(REGISTERS, 56) ^ multiplier;
  store<u64>(RESULT, result);
  return <u32>(result >> 32);
}

/**
 * Runs all programs in order, 64 in total with the repetitions.
 *
 * @param top the registers are stored below this address, unless the operands are in memory
 * @returns the address of the last stored registers
 */
// @ts-ignore: a decorator on a function is AssemblyScript's
@inline
function runPrograms(multiplier: u64, top: usize, isInMemory: bool): usize {
  let branches = BRANCHES;
  let program = CODE;
  while (true) {
    if (!isInMemory) {
      top -= 64;
      storeRegisters(top);
    }
    const isFinished = runProgram(program, multiplier, isInMemory) && program != LAST_PROGRAM;
    if (branches != 0 && !isFinished) {
      branches--;
      continue;
    }
    if (program == LAST_PROGRAM) return top;
    program += PROGRAM_SIZE;
  }
}

/** R7 comes first. */
function storeRegisters(to: usize): void {
  for (let i: usize = 0; i != 64; i += 8) store<u64>(to + i, load<u64>(REGISTERS + 56 - i));
}

// @ts-ignore: a decorator on a function is AssemblyScript's
@inline
function operand(source: usize, isInMemory: bool): u64 {
  const value = load<u64>(source, REGISTERS);
  return isInMemory ? load<u64>(<usize>value & (SCRATCHPAD_SIZE - 1), SCRATCHPAD) : value;
}

/** @returns the flag: if it is set, the program does not run again */
// @ts-ignore: a decorator on a function is AssemblyScript's
@inline
function runProgram(program: usize, multiplier: u64, isInMemory: bool): bool {
  const first: usize = load<u8>(program, DESTINATION);
  const product = rotr<u64>(load<u64>(first, REGISTERS) * multiplier, load<u8>(program, IMMEDIATE));
  store<u64>(first, product, REGISTERS);
  const end = program + PROGRAM_SIZE;
  for (let at = program + INSTRUCTION_SIZE; at != end; at += INSTRUCTION_SIZE) {
    const destination: usize = load<u8>(at, DESTINATION);
    const x = load<u64>(destination, REGISTERS);
    const y = operand(load<u8>(at, SOURCE), isInMemory);
    store<u64>(destination, load<u8>(at, TYPE) ? combine(at, x, y) : multiply(at, x, y), REGISTERS);
  }
  return (product & 32) != 0;
}

/** x | n is (x ^ n) + (x & n), and x + n is (x ^ n) + 2 × (x & n). */
// @ts-ignore: a decorator on a function is AssemblyScript's
@inline
function multiply(at: usize, x: u64, y: u64): u64 {
  return ((x ^ <u64>load<u8>(at, IMMEDIATE)) + (x & <u64>load<u8>(at, ADDEND_OR)) + (x & <u64>load<u8>(at, ADDEND))) * y;
}

/** Shifts, and fills the upper bits with those that a rotation or an arithmetic shift moves there. */
// @ts-ignore: a decorator on a function is AssemblyScript's
@inline
function combine(at: usize, x: u64, y: u64): u64 {
  const bits: u64 = load<u8>(at, IMMEDIATE);
  const upper = (x & maskAt(at + ROTATES)) | (<u64>(<i64>x >> 63) & maskAt(at + IS_SIGNED));
  const shifted = (x >> bits) | (upper << (0 - bits));
  const negates = maskAt(at + SUBTRACTS);
  return load<u8>(at, XORS) ? shifted ^ y : shifted + ((y ^ negates) - negates);
}

// @ts-ignore: a decorator on a function is AssemblyScript's
@inline
function maskAt(address: usize): u64 {
  return <u64><i64>load<i8>(address);
}
