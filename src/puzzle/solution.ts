import { bytesFromAnyBase64, toBase64 } from '../lib/bytes.ts';
import { type Puzzle, parsePuzzle, readU32 } from './puzzle.ts';

/**
 * The value that a form submits: `base64(metadata ++ solutions ++ page data) "." base64(puzzle) "." base64(signature)`, in base64 with
 * padding or in base64url without it.
 *
 * @see docs/reference/protocol.md#payload
 */
export type Payload = {
  /** Reported by the widget and not trustworthy; some client libraries omit it. */
  readonly metadata: Metadata | undefined;
  /** `puzzle.solutionCount` times 8 bytes. */
  readonly solutions: Uint8Array;
  readonly puzzle: Puzzle;
  readonly puzzleBytes: Uint8Array;
  readonly signature: Uint8Array;
  /** Comes from the page, so it is not trustworthy. */
  readonly pageData: PageData;
};

export type Metadata = {
  /** Error number of the widget, 0 for none. */
  readonly errorCode: number;
  /** Whether the solver used WebAssembly. */
  readonly usedWasm: boolean;
  /** Milliseconds, u32. */
  readonly elapsedMs: number;
};

export const SOLUTION_SIZE = 8;
export const METADATA_SIZE = 7;
const METADATA_VERSION = 1;
/** The metadata version of payloads with page data. */
const METADATA_WITH_PAGE_DATA = 2;

/**
 * @returns undefined unless the text has exactly three parts of canonical base64 or base64url, a puzzle of a known version, and as
 *   many solutions as it requires, with or without the 7 metadata bytes. For the test property's puzzle, all of these may be zero.
 *   Page data may follow only metadata of version 2
 */
export function parsePayload(text: string): Payload | undefined {
  const firstDot = text.indexOf('.');
  const secondDot = text.indexOf('.', firstDot + 1);
  if (secondDot < 0) return undefined;
  const puzzleBytes = bytesFromAnyBase64(text.slice(firstDot + 1, secondDot));
  const puzzle = puzzleBytes && parsePuzzle(puzzleBytes);
  const head = puzzle && bytesFromAnyBase64(text.slice(0, firstDot));
  // A fourth part fails here, because a dot is not a base64 character.
  const signature = head && bytesFromAnyBase64(text.slice(secondDot + 1));
  if (!signature || signature.length === 0) return undefined;
  return split(head, puzzle, puzzleBytes, signature);
}

function split(
  head: Uint8Array,
  puzzle: Puzzle,
  puzzleBytes: Uint8Array,
  signature: Uint8Array,
): Payload | undefined {
  const size = puzzle.solutionCount * SOLUTION_SIZE;
  const signed = { puzzle, puzzleBytes, signature };
  if (head.length === size) return { ...signed, metadata: undefined, solutions: head, pageData: {} };
  const end = METADATA_SIZE + size;
  const solutions = head.slice(METADATA_SIZE, end);
  if (head.length === end && needsNoWork(puzzle) && isZero(head.subarray(0, METADATA_SIZE))) {
    return { ...signed, metadata: undefined, solutions, pageData: {} };
  }
  const pageData = pageDataOf(head, end);
  return pageData && { ...signed, metadata: metadataOf(head), solutions, pageData };
}

function metadataOf(head: Uint8Array): Metadata {
  return { errorCode: head[1] as number, usedWasm: head[2] === 1, elapsedMs: readU32(head, 3) };
}

/** @returns undefined if the version is unknown or the page data is invalid */
function pageDataOf(head: Uint8Array, end: number): PageData | undefined {
  if (head[0] === METADATA_VERSION) return head.length === end ? {} : undefined;
  return head[0] === METADATA_WITH_PAGE_DATA ? decodePageData(head.subarray(end)) : undefined;
}

/** Detects the test property's puzzle. Clients solve it with zeros, and some of them send zeros as metadata too. */
function needsNoWork({ version, difficulty, expiresAtSeconds }: Puzzle): boolean {
  return version === 1 && difficulty === 0 && expiresAtSeconds === 0;
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}

/**
 * @param solutions n times 8 bytes
 * @param puzzleText the response to `GET /puzzle`, included unchanged
 */
export function toPayload(metadata: Metadata, solutions: Uint8Array, puzzleText: string): string {
  const { errorCode, usedWasm, elapsedMs } = metadata;
  const ms = Math.min(elapsedMs, 0xffffffff);
  const head = [METADATA_VERSION, errorCode, +usedWasm, ms, ms >>> 8, ms >>> 16, ms >>> 24];
  // Smaller than `toBase64`, which is faster. `Uint8Array` discards the upper bits.
  return `${btoa(String.fromCharCode(...Uint8Array.of(...head, ...solutions)))}.${puzzleText}`;
}

/** @param payload from `toPayload` @returns the payload with the page's data added */
export function addPageData(payload: string, pageData: PageData): string {
  const extra = encodePageData(pageData);
  if (extra.length === 0) return payload;
  const dot = payload.indexOf('.');
  const head = [...atob(payload.slice(0, dot))].map((unit) => unit.charCodeAt(0));
  return toBase64(Uint8Array.of(METADATA_WITH_PAGE_DATA, ...head.slice(1), ...extra)) + payload.slice(dot);
}

/** @returns the payload in base64url without padding, for clients that do not URL-encode form values */
export function toUrlSafe(payload: string): string {
  return payload.replace(/\+/g, '-').replace(/\//g, '_').replace(/=/g, '');
}

/**
 * Data that a page adds to its visitors' solutions, as in reCAPTCHA v3 (`action`) and Turnstile (`action`, `cData`). Verification
 * responses return the data. It is not signed, so it proves nothing.
 */
export type PageData = {
  /** At most 100 characters: ASCII letters, digits, `_`, `/`, and `-`. Empty for reCAPTCHA v3 without an action. */
  readonly action?: string;
  /** At most 255 characters: ASCII letters, digits, `_`, and `-`. */
  readonly cData?: string;
};

const ACTION = /^[\w/-]{0,100}$/;
const CDATA = /^[\w-]{0,255}$/;

/** @returns the name of the first invalid field */
export function findInvalidField({ action = '', cData = '' }: PageData): keyof PageData | undefined {
  if (!ACTION.test(action)) return 'action';
  return CDATA.test(cData) ? undefined : 'cData';
}

/** @param pageData must be valid @returns for each field, its length (one byte) and its ASCII characters; empty without fields */
function encodePageData({ action, cData = '' }: PageData): Uint8Array {
  if (action === undefined && !cData) return new Uint8Array();
  const fields = [action ?? '', cData];
  return Uint8Array.from(fields.flatMap((text) => [text.length, ...[...text].map((c) => c.charCodeAt(0))]));
}

/** @returns undefined unless the bytes are the encoding of valid data */
function decodePageData(bytes: Uint8Array): PageData | undefined {
  const actionEnd = 1 + (bytes[0] ?? 0);
  const cDataEnd = actionEnd + 1 + (bytes[actionEnd] ?? 0);
  if (cDataEnd !== bytes.length) return undefined;
  const text = String.fromCharCode(...bytes);
  const [action, cData] = [text.slice(1, actionEnd), text.slice(actionEnd + 1)];
  // Two empty fields stand for a solution of reCAPTCHA v3 without an action.
  const pageData = { ...(action || !cData ? { action } : {}), ...(cData ? { cData } : {}) };
  return findInvalidField(pageData) === undefined ? pageData : undefined;
}
