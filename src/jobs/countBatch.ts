import { type Outcome, reject } from '../lib/outcome.ts';
import type { Counts } from '../model/sharedCounts.ts';

/** The counts of one node in an interval, as nodes exchange them. */
export type DatedCounts = {
  /** Milliseconds from the start of the interval until the batch was sent. */
  readonly ageMs: number;
  /** The counts by the id of their kind; see COUNT_KINDS. */
  readonly counts: ReadonlyMap<number, Counts>;
};

/**
 * The version of the format. All numbers are little-endian: version (u8), age in milliseconds (u32), and for each kind, its id (u8), the
 * number of entries (u16), and the entries: key (f64) and amount (f32). Nodes ignore kinds that they do not know. Any other change
 * that older nodes cannot read needs a new version.
 */
const VERSION = 1;
const HEADER_SIZE = 5;
const KIND_SIZE = 3;
const ENTRY_SIZE = 12;
/** Maximum number of keys of one kind. */
export const MAX_KEYS = 3500;
const MAX_KINDS = 8;
/** Maximum size of a batch: 336,029 bytes. */
export const MAX_BATCH_SIZE = HEADER_SIZE + MAX_KINDS * (KIND_SIZE + MAX_KEYS * ENTRY_SIZE);
/** Maximum amount of a key: a thousand of the largest bursts at the lowest rate, in milliseconds. */
const MAX_AMOUNT = 1e18;
const MAX_AGE_MS = 2 ** 32 - 1;

/** Encodes a batch in the format of `VERSION`. It has at most eight kinds, with at most MAX_KEYS keys each. */
export function encodeBatch({ ageMs, counts }: DatedCounts): Uint8Array {
  let size = HEADER_SIZE;
  for (const entries of counts.values()) size += KIND_SIZE + entries.size * ENTRY_SIZE;
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, VERSION);
  view.setUint32(1, Math.min(Math.max(ageMs, 0), MAX_AGE_MS), true);
  let at = HEADER_SIZE;
  for (const [kind, entries] of counts) {
    view.setUint8(at, kind);
    view.setUint16(at + 1, entries.size, true);
    at += KIND_SIZE;
    for (const [key, amount] of entries) {
      view.setFloat64(at, key, true);
      view.setFloat32(at + 8, amount, true);
      at += ENTRY_SIZE;
    }
  }
  return bytes;
}

/** Why a batch cannot be used. */
export type BatchProblem = 'too large' | 'of another version' | 'malformed';

/** Decodes a batch of another node. Does not throw, whatever the bytes are. */
export function decodeBatch(bytes: Uint8Array): Outcome<DatedCounts, BatchProblem> {
  if (bytes.length > MAX_BATCH_SIZE) return reject('too large');
  if (bytes[0] !== VERSION) return reject(bytes.length === 0 ? 'malformed' : 'of another version');
  if (bytes.length < HEADER_SIZE) return reject('malformed');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const counts = new Map<number, Counts>();
  for (let at = HEADER_SIZE; at < bytes.length; ) {
    if (bytes.length - at < KIND_SIZE) return reject('malformed');
    const size = view.getUint16(at + 1, true);
    const end = at + KIND_SIZE + size * ENTRY_SIZE;
    const entries = end <= bytes.length ? readEntries(view, at + KIND_SIZE, end) : undefined;
    if (entries === undefined) return reject('malformed');
    counts.set(view.getUint8(at), entries);
    at = end;
  }
  return { ok: true, value: { ageMs: view.getUint32(1, true), counts } };
}

/** @returns undefined if a key or an amount is invalid */
function readEntries(view: DataView, from: number, end: number): Counts | undefined {
  const entries = new Map<number, number>();
  for (let at = from; at < end; at += ENTRY_SIZE) {
    const key = view.getFloat64(at, true);
    const amount = view.getFloat32(at + 8, true);
    const isValid = Number.isSafeInteger(key) && key >= 0 && amount > 0 && amount <= MAX_AMOUNT;
    if (!isValid) return undefined;
    entries.set(key, amount);
  }
  return entries;
}
