import { readCommonPasswords } from '../../../src/commonPasswords.ts';
import { systemRandom } from '../../../src/lib/ids.ts';
import { HOUR } from '../../../src/lib/time.ts';
import type { TwoFactorRule } from '../../../src/model/account.ts';
import { createAuthentication } from '../../../src/platform/authentication/authentication.ts';
import type { Argon2 } from '../../../src/platform/authentication/passwords.ts';
import { createMemoryAttempts } from '../../../src/storage/memory.ts';
import { openUseCases } from '../useCases.ts';

export const CLIENT_INFO = { address: '192.0.2.1', browser: 'Browser' };
export const PASSWORD = 'correct horse battery';

/** Takes no time. Its hashes contain the password. */
export const PLAIN_ARGON2: Argon2 = {
  hash: async (password) => `$argon2id$v=19$m=19456,t=2,p=1$${password}`,
  verify: async (hash, password) => hash.endsWith(`$${password}`),
};

/** The use cases for sign-in on a database in memory, with a clock that the test advances. */
export function openAuthentication(
  twoFactorRule: TwoFactorRule = 'off',
  argon2?: Argon2,
  isClustered = false,
) {
  const { stores, time, derive, audit } = openUseCases();
  const authentication = createAuthentication({
    stores: { ...stores, attempts: createMemoryAttempts() },
    isClustered,
    limits: { idleMs: HOUR, absoluteMs: 2 * HOUR },
    twoFactorRule,
    readCommon: readCommonPasswords,
    sealKey: new Uint8Array(32),
    sign: derive,
    argon2,
    audit,
    clock: () => time.now,
    random: systemRandom,
  });
  /** The audit log, oldest entry first. */
  const readEntries = async () => (await stores.audit.page({}, undefined, 100)).toReversed();
  return { authentication, readEntries, time, stores };
}
