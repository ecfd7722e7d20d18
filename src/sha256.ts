import type { Sign } from './lib/signatures.ts';

/** Bun requires an output buffer for the longest hash, even if the hash is shorter. */
const DIGEST_BUFFER_BYTES = 64;

/** SHA-256 as lowercase hex. */
export function sha256Hex(text: string): string {
  return Bun.SHA256.hash(text, 'hex');
}

/** SHA-256, 32 bytes. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(Bun.CryptoHasher.hash('sha256', bytes));
}

/** HMAC-SHA-256 (RFC 2104). The next call overwrites the result. */
export function createHmac() {
  const out = new Uint8Array(DIGEST_BUFFER_BYTES);
  // Copying a keyed state is a third faster than creating one: 0.21 instead of 0.29 µs.
  const keyed = new WeakMap<Uint8Array, Bun.CryptoHasher>();
  return (secret: Uint8Array, message: Uint8Array): Uint8Array => {
    let state = keyed.get(secret);
    if (state === undefined) {
      state = new Bun.CryptoHasher('sha256', secret);
      keyed.set(secret, state);
    }
    state.copy().update(message).digest(out);
    return out;
  };
}

/** @param secret of the installation, 32 bytes */
export function createSign(secret: Uint8Array): Sign {
  const hmac = createHmac();
  return (text) => hmac(secret, new TextEncoder().encode(text)).slice(0, 32);
}
