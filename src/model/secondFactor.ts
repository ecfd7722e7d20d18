import { type Instant, MINUTE } from '../lib/time.ts';
import type { Session, SessionId } from './session.ts';

/** An account's secret for the codes of an authenticator app. */
export type SecondFactor = {
  /** Encrypted with a key of the installation. */
  readonly sealed: Uint8Array;
  /** Whether the user has entered a valid code. Until then, signing in requires no code. */
  readonly isConfirmed: boolean;
  /** The session that created the secret. */
  readonly sessionId: SessionId;
  readonly createdAt: Instant;
};

/** Who must use two-factor authentication. */
export const TWO_FACTOR_RULES = ['off', 'admins', 'everyone'] as const;

export type TwoFactorRule = (typeof TWO_FACTOR_RULES)[number];

/** How long a secret can be confirmed, in milliseconds. */
const ENROLLMENT_MS = 15 * MINUTE;

/** Whether a session can see and confirm a secret: only the session that created it, so that no other user supplies the secret. */
export function isBegunBy(factor: SecondFactor, { id }: Pick<Session, 'id'>, now: Instant): boolean {
  return !factor.isConfirmed && factor.sessionId === id && now < factor.createdAt + ENROLLMENT_MS;
}
