import { Secret, TOTP } from 'otpauth';
import type { Random } from '../../lib/ids.ts';
import { type Instant, SECOND } from '../../lib/time.ts';

/** The parameters that every authenticator app supports: SHA-1, six digits, 30 seconds (RFC 6238, section 4). */
const CODES = { issuer: 'Postern', algorithm: 'SHA1', digits: 6, period: 30 } as const;
/** The length of a secret, which is the length of the hash (RFC 4226, section 4, R6). */
const SECRET_BYTES = 20;
/**
 * Time steps whose codes are accepted, relative to the current step. The previous step allows for typing and network delays (RFC
 * 6238, section 5.2). A future step would make each code valid for longer.
 */
const ACCEPTED_STEPS = [0, -1] as const;

const RECOVERY_CODES = 10;
/** 120 random bits. With 112 bits or more, a fast hash is sufficient (OWASP ASVS 5.0, 6.5.2). */
const RECOVERY_BYTES = 15;

/** The data that an authenticator app needs. */
export type Enrollment = {
  /** `otpauth://totp/…`, for a QR code. */
  readonly uri: string;
  /** The secret in base32, to be typed. */
  readonly secret: string;
};

/** @returns 20 random bytes */
export function newTotpSecret(random: Random): Uint8Array {
  return random(new Uint8Array(SECRET_BYTES));
}

/** @param label the name of the account in the app */
export function toEnrollment(secret: Uint8Array, label: string): Enrollment {
  const totp = toTotp(secret, label);
  return { uri: totp.toString(), secret: totp.secret.base32 };
}

/** @returns the current time step (T in RFC 6238, section 4.2) */
export function stepAt(now: Instant): number {
  return Math.floor(now / (CODES.period * SECOND));
}

/** @returns the time step of a code (T in RFC 6238, section 4.2), the current or the previous one; undefined for any other code */
export function stepOf(secret: Uint8Array, code: string, now: Instant): number | undefined {
  const totp = toTotp(secret, '');
  const delta = ACCEPTED_STEPS.find((step) => {
    const timestamp = now + step * CODES.period * SECOND;
    return totp.validate({ token: code, timestamp, window: 0 }) !== null;
  });
  return delta === undefined ? undefined : totp.counter({ timestamp: now }) + delta;
}

/** @returns ten codes of 24 letters and digits, in groups of four */
export function newRecoveryCodes(random: Random): readonly string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const { base32 } = toSecret(random(new Uint8Array(RECOVERY_BYTES)));
    return base32.toLowerCase().replace(/....(?=.)/g, '$&-');
  });
}

/** The longest input that is normalized; more than twice as long as a recovery code with its separators. */
const CODE_MAX_LENGTH = 128;

/** Removes spaces and dashes and converts to lowercase. @returns '' for more than 128 characters */
export function normalizeCode(code: string): string {
  if (code.length > CODE_MAX_LENGTH) return '';
  return code.replace(/[\s-]/g, '').toLowerCase();
}

function toTotp(secret: Uint8Array, label: string): TOTP {
  return new TOTP({ ...CODES, label, secret: toSecret(secret) });
}

function toSecret(bytes: Uint8Array): Secret {
  return new Secret({ buffer: bytes.slice().buffer });
}
