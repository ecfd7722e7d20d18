import {
  createGenerator,
  createPrograms,
  type Generator,
  INSTRUCTIONS,
  MULTIPLY_ROTATE,
  PROGRAMS,
  sipRound,
  type Words,
} from './programs.ts';
import type { OpenSearch } from './search.ts';

/** HashWX in JavaScript, for pages that block WebAssembly. It interprets the programs, with registers of two 32-bit halves. */

/** Bytes: the memory that programs read, and a word after it. */
const MEMORY_SIZE = 16_384;

/** @returns the upper half of the product of two u32 */
function multiplyHigh(a: number, b: number): number {
  const [aLow, aHigh] = [a & 0xffff, a >>> 16];
  const [bLow, bHigh] = [b & 0xffff, b >>> 16];
  const middle = Math.imul(aHigh, bLow) + (Math.imul(aLow, bLow) >>> 16);
  const other = (middle & 0xffff) + Math.imul(aLow, bHigh);
  return (Math.imul(aHigh, bHigh) + (middle >>> 16) + (other >>> 16)) | 0;
}

const memory = new DataView(new ArrayBuffer(MEMORY_SIZE + 8));
const words = new Int32Array(memory.buffer);
const registers = new Int32Array(18);

/** Runs all programs once. @param isMixed whether sources are in the memory @param top index of the last store in `words` @returns the new one */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: only local variables are fast
function pass(programs: Int32Array, isMixed: boolean, top: number): number {
  let branches = 32;
  for (let program = 0; program < programs.length; program += INSTRUCTIONS) {
    const tested = ((programs[program] as number) >> 3) & 30;
    for (;;) {
      if (!isMixed) {
        top -= 16;
        for (let i = 0; i < 16; i++) words[top + (i ^ 14)] = registers[i] as number;
      }
      for (let at = program; at < program + INSTRUCTIONS; at++) {
        const packed = programs[at] as number;
        const operation = packed & 15;
        const to = (packed >> 3) & 30;
        const from = (packed >> 7) & 30;
        const immediate = packed >> 12;
        let low = registers[to] as number;
        let high = registers[to + 1] as number;
        let fromLow = registers[from] as number;
        let fromHigh = registers[from + 1] as number;
        if (isMixed && operation !== MULTIPLY_ROTATE) {
          const address = fromLow & (MEMORY_SIZE - 1);
          fromLow = memory.getInt32(address, true);
          fromHigh = memory.getInt32(address + 4, true);
        }
        if (operation <= MULTIPLY_ROTATE) {
          if (operation === 0) low |= immediate;
          else if (operation === 1) low ^= immediate;
          else if (operation === 2) {
            low = (low + immediate) | 0;
            high = (high + +(low >>> 0 < immediate)) | 0;
          }
          high = (multiplyHigh(low, fromLow) + Math.imul(low, fromHigh) + Math.imul(high, fromLow)) | 0;
          low = Math.imul(low, fromLow);
        }
        if (operation >= MULTIPLY_ROTATE) {
          if (operation < 7) {
            // A shift by 32 takes two shifts.
            const bits = immediate & 31;
            const swapped = immediate & 32 ? high : low;
            high = immediate & 32 ? low : high;
            low = (swapped >>> bits) | ((high << 1) << (31 - bits));
            high = (high >>> bits) | ((swapped << 1) << (31 - bits));
          } else {
            low = (low >>> immediate) | (high << (32 - immediate));
            high = operation < 10 ? high >> immediate : high >>> immediate;
          }
          if (operation > MULTIPLY_ROTATE) {
            const combination = operation % 3;
            if (combination === 1) {
              low ^= fromLow;
              high ^= fromHigh;
            } else if (combination === 2) {
              low = (low + fromLow) | 0;
              high = (high + fromHigh + +(low >>> 0 < fromLow >>> 0)) | 0;
            } else {
              high = (high - fromHigh - +(low >>> 0 < fromLow >>> 0)) | 0;
              low = (low - fromLow) | 0;
            }
          }
        }
        registers[to] = low;
        registers[to + 1] = high;
      }
      const isLast = program === INSTRUCTIONS * (PROGRAMS - 1);
      if (!branches || (!isLast && (registers[tested] as number) & 32)) break;
      branches -= 1;
    }
  }
  return top;
}

/** @returns the upper half of a hash. @param nonce u16 @param start of the generator with the last two words of the seed */
function hash(programs: Int32Array, { start, next }: Generator, nonce: number): number {
  // The generator's words are in the opposite order.
  const fill = (state: Words, to: number) => {
    for (let i = 0; i < 8; i++) registers[to + i] = state[i ^ 6] as number;
  };
  fill(start(nonce, 0), 0);
  fill(next(), 8);
  registers[16] = (((registers[0] as number) ^ (registers[8] as number)) & -8) | 3;
  registers[17] = (registers[1] as number) ^ (registers[9] as number);
  words.set(registers.subarray(16), MEMORY_SIZE / 4);
  let top = MEMORY_SIZE / 4;
  while (top) top = pass(programs, false, top);
  for (let i = 0; i < 4; i++) pass(programs, true, 0);
  for (const at of [0, 8]) sipRound(registers, at, at + 2, at + 4, at + 6);
  return (registers[7] as number) ^ (registers[15] as number) ^ (registers[17] as number);
}

/** Opens the search of a seed. At any time, only the last search can be used. */
export const openPlainSearch: OpenSearch = (seed) => {
  const programs = createPrograms(seed);
  const generator = createGenerator(seed.slice(4));
  return (start, count, threshold) => {
    for (let attempt = 1; attempt <= count; attempt++)
      if (hash(programs, generator, start + attempt - 1) >>> 0 <= threshold) return attempt;
    return 0;
  };
};
