/** `If-None-Match` (RFC 9110, section 13.1.2): `*`, or a list of tags, compared weakly. */
export function isKnownTag(known: string, tag: string): boolean {
  const plain = opaqueOf(tag);
  return known.trim() === '*' || known.split(',').some((one) => opaqueOf(one.trim()) === plain);
}

/** The tag of a text that is the same in all that matters. */
export function weakTagOf(text: string): string {
  return `W/"${hashOf(text)}"`;
}

/** @returns the first 64 bits of the SHA-256, 16 hex digits */
export function hashOf(contents: string | Uint8Array): string {
  return new Bun.CryptoHasher('sha256').update(contents).digest('hex').slice(0, 16);
}

function opaqueOf(tag: string): string {
  return tag.replace(/^W\//, '');
}
