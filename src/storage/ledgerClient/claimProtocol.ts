import type { Awaitable } from '../../lib/awaitable.ts';
import type { Claim, RepeatKey } from '../../model/ports/replayLedger.ts';
import type { ClaimCommit } from '../../model/readings.ts';
import type { Later } from '../../threads/protocol.ts';

/** Size of an encoded claim in bytes: the expiration in Unix seconds (u32), the puzzle id, and the fingerprint of the key (u32). */
export const CLAIM_SIZE = 16;
export const PUZZLE_ID = 4;
export const FINGERPRINT = 12;

/** The functions that a thread that stores claims offers to the threads that verify solutions. */
export type ClaimMethods = {
  /** Counts n claims of CLAIM_SIZE bytes. Consecutive calls can share one answer, which has the counts of all their claims, in order. */
  readonly count: (group: Uint8Array, id: number) => Awaitable<Counted | Later>;
  readonly countOnce: (claim: ClaimOnce) => Awaitable<number>;
  readonly recall: (key: RepeatKey) => Awaitable<boolean | undefined>;
};

export type Counted = {
  readonly counts: Uint32Array;
  /** Present if some counts are NOT_COUNTED. */
  readonly reason?: string | undefined;
  /** The transactions since the previous report, for the thread that has started the ledger thread. */
  readonly commits?: readonly ClaimCommit[];
};

/** The count of a claim that could not be stored. */
export const NOT_COUNTED = 2 ** 32 - 1;

/** A claim of CLAIM_SIZE bytes that belongs to a request with an idempotency key. */
export type ClaimOnce = { readonly claim: Uint8Array; readonly maxCount: number; readonly key: RepeatKey };

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
