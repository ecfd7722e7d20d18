import { readCommonPasswords } from '../commonPasswords.ts';
import type { Config } from '../config.ts';
import { systemRandom } from '../lib/ids.ts';
import { type Clock, DAY, HOUR } from '../lib/time.ts';
import type { Audit } from '../platform/audit.ts';
import { type Authentication, createAuthentication } from '../platform/authentication/authentication.ts';
import type { Argon2 } from '../platform/authentication/passwords.ts';
import type { SharedState, Stores } from '../storage/storage.ts';
import { sha256Hex } from './crypto.ts';

export type AuthenticationOptions = Pick<
  Config,
  'sessionIdleHours' | 'sessionMaxDays' | 'requireTwoFactor'
> & {
  /** Tests pass a faster implementation; the default is the native library. */
  readonly argon2?: Argon2 | undefined;
};

export type AuthenticationDeps = {
  readonly stores: Stores;
  readonly shared: Pick<SharedState, 'attempts' | 'isClustered'>;
  /** HMAC-SHA-256 of a purpose with the portal's secret. */
  readonly derivePortal: (purpose: string) => Uint8Array;
  readonly audit: Audit;
  readonly clock: Clock;
};

/** Creates the use cases for the portal's accounts, passwords, two-factor authentication, and sessions. */
export function createPortalAuthentication(
  { stores, shared, derivePortal, ...deps }: AuthenticationDeps,
  options: AuthenticationOptions,
): Authentication {
  return createAuthentication({
    ...deps,
    stores: { ...stores, attempts: shared.attempts },
    isClustered: shared.isClustered,
    limits: { idleMs: options.sessionIdleHours * HOUR, absoluteMs: options.sessionMaxDays * DAY },
    twoFactorRule: options.requireTwoFactor,
    readCommon: readCommonPasswords,
    sealKey: derivePortal('seal'),
    sign: derivePortal,
    argon2: options.argon2,
    random: systemRandom,
    digest: sha256Hex,
  });
}
