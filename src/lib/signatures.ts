/** HMAC-SHA-256 (RFC 2104) of a text with a secret of the installation, 32 bytes. */
export type Sign = (text: string) => Uint8Array;

/** @returns the signature of a text as 43 characters of base64url */
export function signatureOf(sign: Sign, text: string): string {
  return sign(text).toBase64({ alphabet: 'base64url', omitPadding: true });
}

/** Compares in constant time. @returns whether `signatureOf` returned this signature for the text */
export function isSignatureOf(sign: Sign, text: string, signature: string): boolean {
  return areEqualTexts(signature, signatureOf(sign, text));
}

/** Compares the UTF-8 of two texts like `areEqual`. */
export function areEqualTexts(a: string, b: string): boolean {
  const encoder = new TextEncoder();
  return areEqual(encoder.encode(a), encoder.encode(b));
}

/** Compares in time that depends on the length only. Lengths are not secret: different lengths return false immediately. */
export function areEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && areEqualAt(a, b, 0, a.length);
}

/** Compares the first bytes of `a` with those of `b` at a position, without views, each of which would cost as much as an HMAC. */
export function areEqualAt(a: Uint8Array, b: Uint8Array, at: number, length: number): boolean {
  let difference = 0;
  for (let i = 0; i < length; i++) difference |= (a[i] as number) ^ (b[at + i] as number);
  return difference === 0;
}
