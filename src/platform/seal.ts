import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Random } from '../lib/ids.ts';

/** Encrypts small secrets, so that reading their table does not reveal them. */
export type Seal = {
  /** @param context identifies the secret; must be the same in `decrypt` */
  readonly encrypt: (secret: Uint8Array, context: string) => Uint8Array;
  /** @throws if the secret was encrypted with another key or context, or was modified */
  readonly decrypt: (sealed: Uint8Array, context: string) => Uint8Array;
};

const NONCE = 12;
const TAG = 16;

/**
 * AES-256-GCM (NIST SP 800-38D). The result is the nonce, the ciphertext, and the tag. After 2^32 secrets under one key, the
 * probability that a random 96-bit nonce was repeated is 2^-32 (section 8.3); an installation has one secret for each account.
 *
 * @param key 32 bytes, a secret of the installation
 */
export function createSeal(key: Uint8Array, random: Random): Seal {
  return {
    encrypt(secret, context) {
      const nonce = random(new Uint8Array(NONCE));
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
      return new Uint8Array(
        Buffer.concat([nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()]),
      );
    },
    decrypt(sealed, context) {
      const tag = sealed.subarray(sealed.length - TAG);
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE), { authTagLength: TAG })
        .setAAD(Buffer.from(context))
        .setAuthTag(tag);
      const body = sealed.subarray(NONCE, sealed.length - TAG);
      return new Uint8Array(Buffer.concat([decipher.update(body), decipher.final()]));
    },
  };
}
