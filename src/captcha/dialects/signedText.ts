import { bytesFromAnyBase64 } from '../../lib/bytes.ts';
import { parsePuzzle } from '../../puzzle/puzzle.ts';
import { type Payload, toUrlSafe } from '../../puzzle/solution.ts';
import { type Hmac, SIGNATURE_SIZES } from '../signature.ts';
import type { DialectPayload } from '../verdicts.ts';

/**
 * A signed puzzle as the formats of other products contain it: `base64url(puzzle) "." base64url(signature)` without padding. It
 * takes the place of state on the server. Everything else in a challenge is derived from this text.
 */
export type SignedText = Omit<Payload, 'solutions' | 'metadata' | 'pageData'> & { readonly text: string };

/** A puzzle has 63 characters, and the largest signature has 395. */
const MAX_LENGTH = 63 + 1 + Math.ceil((SIGNATURE_SIZES.max * 4) / 3);
/** The puzzle, and at least the first character of the signature. The padded alphabet would be a second spelling of the same puzzle. */
const TEXT = /^[\w-]{63}\.[\w-]+$/;

/**
 * Only puzzles of version 1 are accepted: the difficulty in an argon2id puzzle stands for much less work of another kind.
 *
 * @returns undefined if the text is invalid; the signature is not checked
 */
export function parseSignedText(text: string): SignedText | undefined {
  if (text.length > MAX_LENGTH || !TEXT.test(text)) return undefined;
  const dot = text.indexOf('.');
  const puzzleBytes = bytesFromAnyBase64(text.slice(0, dot));
  const puzzle = puzzleBytes && parsePuzzle(puzzleBytes);
  const signature = puzzle && bytesFromAnyBase64(text.slice(dot + 1));
  return signature && puzzle.version === 1 ? { text, puzzle, puzzleBytes, signature } : undefined;
}

/** @param issued the result of issuing a puzzle @throws TypeError if it is not a puzzle of version 1 */
export function toSignedText(issued: string): SignedText {
  const signed = parseSignedText(toUrlSafe(issued));
  if (signed === undefined) throw new TypeError('not a signed puzzle of version 1');
  return signed;
}

/** The purposes for which the server derives bytes from a puzzle. */
type Purpose = 'altcha number' | 'altcha salt' | `${Product} solved`;

/** The product whose format a solution has. At the same difficulty, products require different amounts of work. */
type Product = 'altcha' | 'cap';

/**
 * Derives 32 bytes that only the server can compute. The message starts with a text that no other use of the key has, and the
 * rest is the signed puzzle, which has one spelling.
 *
 * @param secret of the key that signed the puzzle
 */
export function deriveBytes(
  hmac: Hmac,
  secret: Uint8Array,
  purpose: Purpose,
  { text }: SignedText,
): Uint8Array {
  return hmac(secret, new TextEncoder().encode(`postern ${purpose} 1\0${text}`)).slice(0, 32);
}

/**
 * Returns the token of a puzzle whose work was checked, in the format of a product. Its backends accept no other token: `signed text "."
 * base64url(MAC)`. It is always the same for the same puzzle, so a repeated request gains nothing, and the claim of the puzzle spends it.
 */
export function toSolvedToken(product: Product, hmac: Hmac, secret: Uint8Array, signed: SignedText): string {
  const mac = deriveBytes(hmac, secret, `${product} solved`, signed);
  return `${signed.text}.${mac.toBase64({ alphabet: 'base64url', omitPadding: true })}`;
}

/** @returns the signed puzzle of a token; undefined if the token is invalid; its MAC is not checked */
export function parseSolvedToken(token: string): SignedText | undefined {
  return token.length > MAX_LENGTH + 44 ? undefined : parseSignedText(token.slice(0, token.lastIndexOf('.')));
}

/** @param isSolved whether the visitor has done the work; `secret` is that of the key that signed the puzzle */
export function toDialectPayload(
  { puzzle, puzzleBytes, signature }: SignedText,
  isSolved: DialectPayload['isSolved'],
): DialectPayload {
  // Without the time that the client reports: the statistics of solve times are about Postern's own solver.
  const own = { metadata: undefined, solutions: new Uint8Array(), pageData: {} };
  return { puzzle, puzzleBytes, signature, ...own, isSolved };
}
