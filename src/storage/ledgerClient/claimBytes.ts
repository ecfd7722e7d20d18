import type { Claim } from '../../model/ports/replayLedger.ts';

/** Size of an encoded claim in bytes: the expiration in Unix seconds (u32), the puzzle id, and the fingerprint of the key (u32). */
export const CLAIM_SIZE = 16;
export const PUZZLE_ID = 4;
export const FINGERPRINT = 12;

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
