/** Fills an array with random bytes and returns it. */
export type Random = <Bytes extends Uint8Array>(bytes: Bytes) => Bytes;

/** The platform's cryptographically secure random number generator. */
export const systemRandom: Random = (bytes) =>
  crypto.getRandomValues(bytes as typeof bytes & Uint8Array<ArrayBuffer>);

/** @returns a secret for a link or a session: 256 random bits as 43 characters of base64url */
export function newToken(random: Random): string {
  return random(new Uint8Array(32)).toBase64({ alphabet: 'base64url', omitPadding: true });
}

/**
 * Request ids are unique but not secret. A random prefix per process and a counter cost a tenth of a UUID.
 *
 * @returns a function that returns a new id of 22 characters, `[0-9a-f-]`, on every call
 */
export function createRequestIds(random: Random): () => string {
  const prefix = `${random(new Uint8Array(6)).toHex()}-`;
  let count = 0;
  return () => {
    count = (count + 1) % 0x1000000000;
    return prefix + count.toString(16).padStart(9, '0');
  };
}
