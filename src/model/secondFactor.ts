import { type Instant, MINUTE } from '../lib/time.ts';
import type { Session, SessionId } from './session.ts';

/** A secret for codes as one account has it. */
export type SecondFactor = {
  /** Encrypted with a key of the installation. */
  readonly sealed: Uint8Array;
  /** A code has shown that the account's owner has the secret too; before that it is not asked for. */
  readonly isConfirmed: boolean;
  /** The session that began it. */
  readonly sessionId: SessionId;
  readonly createdAt: Instant;
};

/** Who must use two-factor authentication. */
export const TWO_FACTOR_RULES = ['off', 'admins', 'everyone'] as const;

export type TwoFactorRule = (typeof TWO_FACTOR_RULES)[number];

/** How long a secret for codes may wait for its first code. */
const ENROLMENT_MS = 15 * MINUTE;

/** Whether this session may see a secret and confirm it: nobody plants one for another to confirm. */
export function isBegunBy(factor: SecondFactor, { id }: Pick<Session, 'id'>, now: Instant): boolean {
  return !factor.isConfirmed && factor.sessionId === id && now < factor.createdAt + ENROLMENT_MS;
}
