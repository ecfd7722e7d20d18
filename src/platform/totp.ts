import { Secret, TOTP } from 'otpauth';
import type { Random } from '../lib/ids.ts';
import type { Instant } from '../lib/time.ts';

/** What every app understands: SHA-1, six digits, thirty seconds (RFC 6238, section 4). */
const CODES = { issuer: 'Postern', algorithm: 'SHA1', digits: 6, period: 30 } as const;
/** Bytes of a secret: as many as the hash has (RFC 4226, section 4, R6). */
const SECRET_BYTES = 20;
/** Steps before and after the present one whose codes are taken: clocks differ (RFC 6238, section 5.2). */
const WINDOW = 1;

const RECOVERY_CODES = 10;
/** 80 random bits: too many to guess, so a fast hash keeps them. */
const RECOVERY_BYTES = 10;

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

/** @returns the step (RFC 6238, section 4.2: T) whose code it is; undefined for a code of no step near this moment */
export function stepOf(secret: Uint8Array, code: string, now: Instant): number | undefined {
  const totp = totpOf(secret, '');
  const delta = totp.validate({ token: code, timestamp: now, window: WINDOW });
  return delta === null ? undefined : totp.counter({ timestamp: now }) + delta;
}

/** @returns ten codes of 16 letters and digits, in groups of four */
export function newRecoveryCodes(random: Random): readonly string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const { base32 } = secretOf(random(new Uint8Array(RECOVERY_BYTES)));
    return base32.toLowerCase().replace(/....(?=.)/g, '$&-');
  });
}

/** People type codes in groups, or not. */
export function plainCode(code: string): string {
  return code.replace(/[\s-]/g, '').toLowerCase();
}

function totpOf(secret: Uint8Array, label: string): TOTP {
  return new TOTP({ ...CODES, label, secret: secretOf(secret) });
}

function secretOf(bytes: Uint8Array): Secret {
  return new Secret({ buffer: bytes.slice().buffer });
}
