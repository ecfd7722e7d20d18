/**
 * Compares an `If-None-Match` header, `*` or a list of tags, with a tag (RFC 9110, section 13.1.2: weak comparison). Reads the header
 * once, so a long header is not expensive.
 */
export function isKnownTag(known: string, tag: string): boolean {
  const plain = opaqueOf(tag);
  for (let at = known.indexOf(plain); at >= 0; at = known.indexOf(plain, at + plain.length)) {
    const before = known[at - 1] === '/' && known[at - 2] === 'W' ? at - 3 : at - 1;
    if (isBetweenTags(known[before]) && isBetweenTags(known[at + plain.length])) return true;
  }
  return known.length < WILDCARD_MAX_LENGTH && known.trim() === '*';
}

/** `*` with whitespace around it. */
const WILDCARD_MAX_LENGTH = 64;

function isBetweenTags(character: string | undefined): boolean {
  return character === undefined || character === ',' || character === ' ' || character === '\t';
}

/** @returns a weak tag of a text */
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
