import type { Random } from '../../lib/ids.ts';
import { done, type Outcome, reject } from '../../lib/outcome.ts';
import type { Clock } from '../../lib/time.ts';
import { type Account, isEnrollmentOf, type TwoFactorRule } from '../../model/account.ts';
import { type Actor, portalActor } from '../../model/actor.ts';
import type { TwoFactorStore } from '../../model/ports/account.ts';
import type { ClientInfo, SessionActor } from '../../model/session.ts';
import { sha256Hex } from '../../sha256.ts';
import type { EntryFor } from '../audit.ts';
import type { Seal } from '../opaqueId.ts';
import type { OwnPassword, OwnPasswordResult } from './ownPassword.ts';
import {
  type Enrollment,
  newRecoveryCodes,
  newTotpSecret,
  normalizeCode,
  stepOf,
  toEnrollment,
} from './totp.ts';

export type TwoFactorState = {
  readonly isOn: boolean;
  /** Unused recovery codes. */
  readonly recoveryLeft: number;
};

/** Two-factor authentication with an authenticator app (TOTP, RFC 6238), and recovery codes in case the app is lost. */
export type TwoFactor = {
  /** Whether the installation requires it of this user. */
  isRequiredOf(account: Pick<Account, 'isAdmin'>): boolean;
  /** Whether it is required but not turned on yet. Until then, the user can do nothing except turn it on. */
  isMissing(account: Pick<Account, 'id' | 'isAdmin'>): Promise<boolean>;
  stateOf(account: Pick<Account, 'id'>): Promise<TwoFactorState>;
  /** Starts an enrollment with a new secret, which replaces one that is not confirmed. */
  start(actor: SessionActor): Promise<void>;
  /** Returns the enrollment that this session started in the last 15 minutes and has not confirmed yet. */
  enrollmentOf(actor: SessionActor): Promise<Enrollment | undefined>;
  /** Confirms the enrollment; signing in then requires a code. @returns the recovery codes, which cannot be shown again */
  confirm(actor: SessionActor, code: string): Promise<Outcome<readonly string[], 'code-wrong'>>;
  /** Uses a code of the app or a recovery code to sign in. @returns false if it is wrong or already used */
  accept(account: Account, code: string, clientInfo: ClientInfo): Promise<boolean>;
  /** Replaces the recovery codes. @returns the new ones; undefined if two-factor authentication is off */
  renewRecoveryCodes(actor: SessionActor): Promise<readonly string[] | undefined>;
  /** Turns it off. Always requires the password, even if it was confirmed recently. @returns whether it was on */
  disable(
    actor: SessionActor,
    password: string,
  ): Promise<OwnPasswordResult<boolean> | Outcome<boolean, 'two-factor-required'>>;
  /**
   * Turns it off for a user who lost the app and the recovery codes, and ends all sessions of the user. Only for
   * administrators and the command line.
   *
   * @returns whether it was on
   */
  reset(actor: Actor, account: Pick<Account, 'id' | 'email'>): Promise<Outcome<boolean, 'admin-only'>>;
};

export type TwoFactorDeps = {
  readonly rule: TwoFactorRule;
  readonly store: TwoFactorStore;
  readonly ownPassword: Pick<OwnPassword, 'verify'>;
  readonly seal: Seal;
  readonly entryFor: EntryFor;
  readonly clock: Clock;
  readonly random: Random;
};

/** @see TwoFactor */
export function createTwoFactor(deps: TwoFactorDeps): TwoFactor {
  const { store, entryFor } = deps;

  const isRequiredOf: TwoFactor['isRequiredOf'] = ({ isAdmin }) =>
    deps.rule === 'everyone' || (deps.rule === 'admins' && isAdmin);

  async function isOn({ id }: Pick<Account, 'id'>): Promise<boolean> {
    return (await store.byAccount(id))?.isConfirmed === true;
  }

  return {
    ...createCodes(deps),
    isRequiredOf,
    isMissing: async (account) => isRequiredOf(account) && !(await isOn(account)),
    async stateOf(account) {
      return { isOn: await isOn(account), recoveryLeft: await store.countRecoveryCodes(account.id) };
    },
    async disable(actor, password) {
      if (isRequiredOf(actor)) return reject('two-factor-required');
      const verified = await deps.ownPassword.verify(actor, password);
      if (!verified.ok) return verified;
      const entry = await entryFor(actor, { action: 'second-factor-disabled', object: '' });
      return done(await store.remove(actor.user, entry));
    },
    async reset(actor, { id, email }) {
      if (!actor.isAdmin) return reject('admin-only');
      const entry = await entryFor(actor, { action: 'second-factor-disabled', object: email });
      return done(await store.reset(id, entry));
    },
  };
}

type Codes = Pick<TwoFactor, 'start' | 'enrollmentOf' | 'confirm' | 'accept' | 'renewRecoveryCodes'>;

function createCodes({ store, entryFor, seal, clock, random }: TwoFactorDeps): Codes {
  // Authenticated together with the stored secrets: with another text, they could not be decrypted.
  const contextOf = ({ id }: Account) => `second factor ${id}`;
  const recoveryHash = (code: string) => sha256Hex(`recovery ${normalizeCode(code)}`);

  async function enrollingSecret({ account, session }: SessionActor): Promise<Uint8Array | undefined> {
    const secret = await store.byAccount(account.id);
    const isOpen = secret !== undefined && isEnrollmentOf(session, secret, clock());
    return isOpen ? seal.decrypt(secret.sealed, contextOf(account)) : undefined;
  }

  async function confirmedSecret(account: Account): Promise<Uint8Array | undefined> {
    const secret = await store.byAccount(account.id);
    return secret?.isConfirmed === true ? seal.decrypt(secret.sealed, contextOf(account)) : undefined;
  }

  return {
    async start({ account, session }) {
      await store.start(session, seal.encrypt(newTotpSecret(random), contextOf(account)), clock());
    },
    async enrollmentOf(actor) {
      const secret = await enrollingSecret(actor);
      return secret && toEnrollment(secret, actor.account.email);
    },
    async confirm(actor, code) {
      const secret = await enrollingSecret(actor);
      const step = secret && stepOf(secret, normalizeCode(code), clock());
      if (step === undefined) return reject('code-wrong');
      const codes = newRecoveryCodes(random);
      const entry = await entryFor(actor, { action: 'second-factor-enabled', object: '' });
      const isConfirmed = await store.confirm(actor.session, step, codes.map(recoveryHash), entry);
      return isConfirmed ? done(codes) : reject('code-wrong');
    },
    async accept(account, code, { address }) {
      const secret = await confirmedSecret(account);
      if (secret === undefined) return false;
      const step = stepOf(secret, normalizeCode(code), clock());
      if (step !== undefined) return store.useStep(account.id, step);
      const audited = { action: 'recovery-code-used', object: '' } as const;
      const entry = await entryFor(portalActor(account, address), audited);
      return store.useRecoveryCode(account.id, recoveryHash(code), entry);
    },
    async renewRecoveryCodes(actor) {
      const codes = newRecoveryCodes(random);
      const entry = await entryFor(actor, { action: 'recovery-codes-renewed', object: '' });
      const isReplaced = await store.replaceRecoveryCodes(actor.user, codes.map(recoveryHash), entry);
      return isReplaced ? codes : undefined;
    },
  };
}
