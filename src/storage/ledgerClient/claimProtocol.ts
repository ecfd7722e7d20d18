import type { Awaitable } from '../../lib/awaitable.ts';
import type { Claim, RepeatKey } from '../../model/ports/replayLedger.ts';
import type { Later } from '../../threads/protocol.ts';

/** Size of an encoded claim in bytes: the expiration in Unix seconds (u32), the puzzle id, and the fingerprint of the key (u32). */
export const CLAIM_SIZE = 16;
export const PUZZLE_ID = 4;
export const FINGERPRINT = 12;

/**
 * The functions that a thread that stores claims offers to the threads that verify solutions. Groups and counts are bytes in a string, one
 * character each, because Bun copies messages with typed arrays slowly: a group and its answer take 4.5 instead of 10.1 µs (Bun 1.4.5).
 */
export type ClaimMethods = {
  /** Counts n claims of CLAIM_SIZE bytes. Consecutive calls can share one answer, which has the counts of all their claims, in order. */
  readonly count: (group: string, id: number) => Awaitable<Counted | Later>;
  readonly countOnce: (claim: ClaimOnce) => Awaitable<number>;
  readonly recall: (key: RepeatKey) => Awaitable<boolean | undefined>;
};

/** Counts of COUNT_SIZE bytes. If some are NOT_COUNTED, they belong to one call, and the reason follows. */
export type Counted = string;

/** Size of an encoded count in bytes (u32). */
export const COUNT_SIZE = 4;

/** The count of a claim that could not be stored. */
export const NOT_COUNTED = 2 ** 32 - 1;

/** A claim of CLAIM_SIZE bytes that belongs to a request with an idempotency key. */
export type ClaimOnce = { readonly claim: Uint8Array; readonly maxCount: number; readonly key: RepeatKey };

/** @returns one character for each byte */
export function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}

/** @param text from `toText` */
export function fromText(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  Buffer.from(bytes.buffer).write(text, 'latin1');
  return bytes;
}

export function encodeCounts(counts: Uint32Array): Counted {
  return toText(new Uint8Array(counts.buffer, counts.byteOffset, counts.byteLength));
}

/** @param index of the count */
export function countAt(counted: Counted, index: number): number {
  const at = COUNT_SIZE * index;
  const low = counted.charCodeAt(at) | (counted.charCodeAt(at + 1) << 8);
  return (low | (counted.charCodeAt(at + 2) << 16) | (counted.charCodeAt(at + 3) << 24)) >>> 0;
}

/** @returns n times CLAIM_SIZE bytes */
export function toBytes(claims: readonly Claim[]): Uint8Array {
  const bytes = new Uint8Array(claims.length * CLAIM_SIZE);
  const view = new DataView(bytes.buffer);
  claims.forEach((claim, i) => {
    view.setUint32(i * CLAIM_SIZE, claim.expiresAtSeconds, true);
    bytes.set(claim.puzzleId, i * CLAIM_SIZE + PUZZLE_ID);
    view.setUint32(i * CLAIM_SIZE + FINGERPRINT, claim.keyFingerprint, true);
  });
  return bytes;
}

/** @param group n times CLAIM_SIZE bytes @returns n claims, which share the memory of the group */
export function claimsFrom(group: Uint8Array): readonly Claim[] {
  const view = new DataView(group.buffer, group.byteOffset);
  return Array.from({ length: group.length / CLAIM_SIZE }, (_, i) => ({
    expiresAtSeconds: view.getUint32(i * CLAIM_SIZE, true),
    puzzleId: group.subarray(i * CLAIM_SIZE + PUZZLE_ID, i * CLAIM_SIZE + FINGERPRINT),
    keyFingerprint: view.getUint32(i * CLAIM_SIZE + FINGERPRINT, true),
  }));
}
