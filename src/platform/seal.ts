import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Random } from '../lib/ids.ts';

/** Keeps small secrets in the database without showing them to who reads a single table. */
export type Seal = {
  /** @param context where the secret belongs: it opens there alone */
  readonly close: (secret: Uint8Array, context: string) => Uint8Array;
  /** @throws where it was not closed with this key in this context, or was changed */
  readonly open: (sealed: Uint8Array, context: string) => Uint8Array;
};

const NONCE = 12;
const TAG = 16;

/**
 * AES-256-GCM (NIST SP 800-38D): nonce, ciphertext, tag. Nonces of 96 random bits repeat with a chance of 2^-32 after
 * 2^32 secrets under one key (section 8.3); an installation has one for each account.
 *
 * @param key 32 bytes, kept with the installation
 */
export function createSeal(key: Uint8Array, random: Random): Seal {
  return {
    close(secret, context) {
      const nonce = random(new Uint8Array(NONCE));
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
      return new Uint8Array(
        Buffer.concat([nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()]),
      );
    },
    open(sealed, context) {
      const tag = sealed.subarray(sealed.length - TAG);
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE), { authTagLength: TAG })
        .setAAD(Buffer.from(context))
        .setAuthTag(tag);
      const body = sealed.subarray(NONCE, sealed.length - TAG);
      return new Uint8Array(Buffer.concat([decipher.update(body), decipher.final()]));
    },
  };
}
