import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Random } from '../lib/ids.ts';
import type { AccountId } from '../model/account.ts';
import type { ApiKeyId } from '../model/apiKey.ts';
import type { AuditId } from '../model/audit.ts';
import type { InvitationId, OrganizationId } from '../model/organization.ts';
import type { PropertyId } from '../model/property.ts';
import type { SessionId } from '../model/session.ts';
import type { ShareLinkId } from '../model/shareLink.ts';

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

/** The kinds of entities whose ids clients see, with the byte that represents each kind. */
const KINDS = {
  organization: 1,
  property: 2,
  'api-key': 3,
  account: 4,
  session: 5,
  invitation: 7,
  'audit-entry': 8,
  'share-link': 9,
} as const;

export type IdKind = keyof typeof KINDS;

type IdOf = {
  organization: OrganizationId;
  property: PropertyId;
  'api-key': ApiKeyId;
  account: AccountId;
  invitation: InvitationId;
  'audit-entry': AuditId;
  session: SessionId;
  'share-link': ShareLinkId;
};

/** Converts row numbers to opaque ids and back. */
export type OpaqueIds = {
  /** @returns 22 characters of base64url */
  readonly seal: <Kind extends IdKind>(kind: Kind, id: IdOf[Kind]) => string;
  /** @returns undefined if the text is not an id of this kind from this installation; needs no database query */
  readonly open: <Kind extends IdKind>(kind: Kind, text: string) => IdOf[Kind] | undefined;
};

const BLOCK = 16;
const TEXT = /^[A-Za-z0-9_-]{22}$/;

/**
 * An opaque id is one AES-256 block: the kind, seven zero bytes, and the row number in eight bytes. Because the plaintext is
 * redundant, encryption also authenticates it: an altered or foreign id decrypts to a random block, which contains the right kind
 * and zeros with a probability of 2^-64 (Bellare and Rogaway, Encode-then-encipher encryption, 2000).
 *
 * @param key 32 bytes, a secret of the installation
 */
export function createOpaqueIds(key: Uint8Array): OpaqueIds {
  return {
    seal(kind, id) {
      const block = Buffer.alloc(BLOCK);
      block[0] = KINDS[kind];
      block.writeBigUInt64BE(BigInt(id), 8);
      const cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false);
      return cipher.update(block).toString('base64url');
    },
    open(kind, text) {
      if (!TEXT.test(text)) return undefined;
      const sealed = Buffer.from(text, 'base64url');
      if (sealed.toString('base64url') !== text) return undefined;
      const block = createDecipheriv('aes-256-ecb', key, null).setAutoPadding(false).update(sealed);
      const isOurs = block[0] === KINDS[kind] && block.subarray(1, 8).every((byte) => byte === 0);
      const id = block.readBigUInt64BE(8);
      return isOurs && id <= BigInt(Number.MAX_SAFE_INTEGER) ? (Number(id) as IdOf[typeof kind]) : undefined;
    },
  };
}
