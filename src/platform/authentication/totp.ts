import { Secret, TOTP } from 'otpauth';
import type { Random } from '../../lib/ids.ts';
import { type Instant, SECOND } from '../../lib/time.ts';

/** What every app understands: SHA-1, six digits, thirty seconds (RFC 6238, section 4). */
const CODES = { issuer: 'Postern', algorithm: 'SHA1', digits: 6, period: 30 } as const;
/** Bytes of a secret: as many as the hash has (RFC 4226, section 4, R6). */
const SECRET_BYTES = 20;
/**
 * Steps whose codes are accepted, relative to the current one: also the previous step, to allow for typing and sending (RFC 6238,
 * section 5.2), but no future step, which would make each code valid for longer.
 */
const ACCEPTED_STEPS = [0, -1] as const;

const RECOVERY_CODES = 10;
/** 120 random bits. From 112 bits on, a fast hash is enough (OWASP ASVS 5.0, 6.5.2). */
const RECOVERY_BYTES = 15;

/** What an app for codes has to know. */
export type Enrolment = {
  /** `otpauth://totp/…`, for a QR code. */
  readonly uri: string;
  /** The same secret to be typed: base32. */
  readonly secret: string;
};

/** @returns 20 random bytes */
export function newTotpSecret(random: Random): Uint8Array {
  return random(new Uint8Array(SECRET_BYTES));
}

/** @param label the account's name in the app */
export function enrolmentOf(secret: Uint8Array, label: string): Enrolment {
  const totp = totpOf(secret, label);
  return { uri: totp.toString(), secret: totp.secret.base32 };
}

/** @returns the step (RFC 6238, section 4.2: T) whose code it is, the current or the previous one; undefined for any other code */
export function stepOf(secret: Uint8Array, code: string, now: Instant): number | undefined {
  const totp = totpOf(secret, '');
  const delta = ACCEPTED_STEPS.find((step) => {
    const timestamp = now + step * CODES.period * SECOND;
    return totp.validate({ token: code, timestamp, window: 0 }) !== null;
  });
  return delta === undefined ? undefined : totp.counter({ timestamp: now }) + delta;
}

/** @returns ten codes of 24 letters and digits, in groups of four */
export function newRecoveryCodes(random: Random): readonly string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const { base32 } = secretOf(random(new Uint8Array(RECOVERY_BYTES)));
    return base32.toLowerCase().replace(/....(?=.)/g, '$&-');
  });
}

/** Characters of a typed code, with its separators; twice as many as the longest code has. */
const CODE_MAX_LENGTH = 128;

/** People type codes in groups, or not. @returns '' for more than 128 characters, which no code has */
export function plainCode(code: string): string {
  if (code.length > CODE_MAX_LENGTH) return '';
  return code.replace(/[\s-]/g, '').toLowerCase();
}

function totpOf(secret: Uint8Array, label: string): TOTP {
  return new TOTP({ ...CODES, label, secret: secretOf(secret) });
}

function secretOf(bytes: Uint8Array): Secret {
  return new Secret({ buffer: bytes.slice().buffer });
}
