// AssemblyScript. The memory of the HashWX kernel. The tables are between the numbers and the scratchpad (`--memoryBase` in `bundle.ts`).

/** 32 bytes, which the caller writes. */
export const SEED: usize = 0;

/** The hash, u64. */
export const RESULT: usize = 32;

/** R0 to R7, u64. */
export const REGISTERS: usize = 64;

/** The instructions of the programs: 32 times 8 instructions of 8 bytes. */
export const CODE: usize = 1024;

/** The output of the generator: at most 512 times u64. */
export const NUMBERS: usize = 4096;

/** 16 KiB, and 8 bytes, because a word that begins in the last bytes ends after them. */
export const SCRATCHPAD: usize = 32768;
export const SCRATCHPAD_SIZE: usize = 16384;

export const PROGRAM_COUNT: usize = 32;

/** Instructions of a program that change registers. The others are the same in all programs. */
export const INSTRUCTION_COUNT: usize = 8;

export const INSTRUCTION_SIZE: usize = 8;

/**
 * Offsets of the bytes of an instruction. The destination and the source are offsets in the registers. The masks are 0 or 255; they
 * replace branches, which the processor could not predict (docs/project/experiments.md#hashwx-on-the-server).
 */
export const DESTINATION: usize = 0;
export const SOURCE: usize = 1;
export const IMMEDIATE: usize = 2;
/** For multiplications: the immediate value if the operation is OR or ADD, and if it is ADD; otherwise 0. */
export const ADDEND_OR: usize = 3;
export const ADDEND: usize = 4;
/** For the others: masks for a rotation, an arithmetic shift, a subtraction, and XOR. */
export const ROTATES: usize = 3;
export const IS_SIGNED: usize = 4;
export const SUBTRACTS: usize = 5;
export const XORS: usize = 6;
/** 0 for multiplications, 1 for the others. */
export const TYPE: usize = 7;

/** Numbers of the generator for one program. */
export const NUMBERS_OF_PROGRAM: usize = 16;
