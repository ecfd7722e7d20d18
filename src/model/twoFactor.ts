import { type Instant, MINUTE } from '../lib/time.ts';
import type { Session, SessionId } from './session.ts';

/** The secret that an account shares with an authenticator app. */
export type TwoFactorSecret = {
  /** Encrypted with a key of the installation. */
  readonly sealed: Uint8Array;
  /** Whether a code has proved that the app has the secret. Only then does signing in require a code. */
  readonly isConfirmed: boolean;
  /** The session that started the enrollment. */
  readonly sessionId: SessionId;
  readonly createdAt: Instant;
};

/** The users who must use two-factor authentication. */
export const TWO_FACTOR_RULES = ['off', 'admins', 'everyone'] as const;

export type TwoFactorRule = (typeof TWO_FACTOR_RULES)[number];

/** How long an enrollment waits for its first code. */
const ENROLLMENT_MS = 15 * MINUTE;

/** Whether the enrollment is open and this session started it. No other session may see or confirm the secret. */
export function isEnrollmentOf({ id }: Pick<Session, 'id'>, secret: TwoFactorSecret, now: Instant): boolean {
  return !secret.isConfirmed && secret.sessionId === id && now < secret.createdAt + ENROLLMENT_MS;
}
