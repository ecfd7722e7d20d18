import { hexOf } from './bytes.ts';

/** Fills an array with random bytes and gives it back. */
export type Random = <Bytes extends Uint8Array>(bytes: Bytes) => Bytes;

/** The platform's cryptographic randomness. */
export const systemRandom: Random = (bytes) =>
  crypto.getRandomValues(bytes as typeof bytes & Uint8Array<ArrayBuffer>);

/**
 * Request ids: unique, not secret. A random part for this process and a counter cost a tenth of a UUID.
 *
 * @returns a function that gives a new id of 22 characters, `[0-9a-f-]`, with every call
 */
export function createRequestIds(random: Random): () => string {
  const prefix = `${hexOf(random(new Uint8Array(6)))}-`;
  let count = 0;
  return () => {
    count = (count + 1) % 0x1000000000;
    return prefix + count.toString(16).padStart(9, '0');
  };
}
