import { loadArgon2 } from '../../argon2.ts';
import { ARGON2ID_PARAMETERS } from '../../puzzle/argon2id.ts';

/** The numbers of `Algorithm.Argon2id` and `Version.V0x13` in the library, whose enums have no values at run time. */
const ARGON2ID = 2;
const VERSION_0X13 = 1;

const { memoryKib, passes, lanes, tagSize, saltSize } = ARGON2ID_PARAMETERS;

const OPTIONS = {
  algorithm: ARGON2ID,
  version: VERSION_0X13,
  memoryCost: memoryKib,
  timeCost: passes,
  parallelism: lanes,
  outputLen: tagSize,
} as const;

/** @param block 128 bytes @returns the options for its hash: the salt is the start of the block */
function optionsFor(block: Uint8Array) {
  return { ...OPTIONS, salt: block.subarray(0, saltSize) };
}

/** @returns a function that computes the argon2id tag of a block on the calling thread, in about 6 ms */
export async function createArgon2idHash(): Promise<(block: Uint8Array) => Uint8Array> {
  const { hashRawSync } = await loadArgon2();
  return (block) => hashRawSync(block, optionsFor(block));
}

/** @returns a function that computes the argon2id tag of a block on a thread of the runtime's pool */
export async function createPooledArgon2idHash(): Promise<(block: Uint8Array) => Promise<Uint8Array>> {
  const { hashRaw } = await loadArgon2();
  return (block) => hashRaw(block, optionsFor(block));
}
