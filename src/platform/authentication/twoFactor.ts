import type { Random } from '../../lib/ids.ts';
import { done, type Outcome, reject } from '../../lib/outcome.ts';
import type { Clock } from '../../lib/time.ts';
import type { Account } from '../../model/account.ts';
import type { AuditAction, RecordAudit } from '../../model/audit.ts';
import type { SecondFactorStore } from '../../model/ports/secondFactor.ts';
import type { SessionStore } from '../../model/ports/session.ts';
import { isBegunBy } from '../../model/secondFactor.ts';
import type { ClientInfo, SignedIn } from '../../model/session.ts';
import type { Seal } from '../seal.ts';
import { type Enrolment, enrolmentOf, newRecoveryCodes, newTotpSecret, plainCode, stepOf } from './totp.ts';

/** What an account has of a second factor. */
export type SecondFactorState = {
  readonly isOn: boolean;
  /** Recovery codes that are left. */
  readonly recoveryLeft: number;
};

/** Codes from an app (TOTP, RFC 6238), and recovery codes for when it is lost. */
export type SecondFactors = {
  readonly stateOf: (account: Account) => Promise<SecondFactorState>;
  /** Makes a secret that a code has to confirm; an earlier one that was not confirmed is void. */
  readonly begin: (who: SignedIn) => Promise<void>;
  /** What this session began within a quarter of an hour, and has not confirmed yet. */
  readonly enrolmentOf: (who: SignedIn) => Promise<Enrolment | undefined>;
  /** Of what this session began: from now on a code is asked for. @returns the recovery codes, shown this once */
  readonly confirm: (
    who: SignedIn,
    code: string,
    clientInfo: ClientInfo,
  ) => Promise<Outcome<readonly string[], 'code-wrong'>>;
  /** Spends a code or a recovery code. @returns false where it is none, or was spent before */
  readonly accept: (account: Account, code: string, clientInfo: ClientInfo) => Promise<boolean>;
  /** @returns other recovery codes instead of those that are left; undefined where no factor is on */
  readonly renewRecovery: (
    account: Account,
    clientInfo: ClientInfo,
  ) => Promise<readonly string[] | undefined>;
  readonly disable: (account: Account, clientInfo: ClientInfo) => Promise<boolean>;
  /** For somebody who lost both: whoever runs the installation takes the factor off, and every session ends. Who asks notes it down. */
  readonly reset: (account: Account) => Promise<boolean>;
};

export type SecondFactorsDeps = {
  readonly store: SecondFactorStore;
  readonly sessions: Pick<SessionStore, 'endAll'>;
  readonly seal: Seal;
  readonly audit: RecordAudit;
  readonly clock: Clock;
  readonly random: Random;
  /** SHA-256, lower-case hex. */
  readonly digest: (text: string) => string;
};

/** @see SecondFactors */
export function createSecondFactors(deps: SecondFactorsDeps): SecondFactors {
  const { store, seal, digest, clock, random } = deps;

  const contextOf = ({ id }: Account) => `second factor ${id}`;
  const recoveryHash = (code: string) => digest(`recovery ${plainCode(code)}`);

  async function begunBy({ account, session }: SignedIn): Promise<Uint8Array | undefined> {
    const factor = await store.byAccount(account.id);
    if (factor === undefined || !isBegunBy(factor, session, clock())) return undefined;
    return seal.open(factor.sealed, contextOf(account));
  }

  async function secretOf(account: Account): Promise<Uint8Array | undefined> {
    const factor = await store.byAccount(account.id);
    return factor?.isConfirmed === true ? seal.open(factor.sealed, contextOf(account)) : undefined;
  }

  async function note({ id, email }: Account, action: AuditAction, address: string): Promise<void> {
    const who = { accountId: id, actor: email, source: 'portal', address } as const;
    await deps.audit({ ...who, action, organizationId: undefined, subject: '' });
  }

  return {
    async stateOf({ id }) {
      const factor = await store.byAccount(id);
      return { isOn: factor?.isConfirmed === true, recoveryLeft: await store.recoveryLeft(id) };
    },
    async begin({ account, session }) {
      const secret = newTotpSecret(random);
      await store.begin(session, seal.close(secret, contextOf(account)), clock());
    },
    async enrolmentOf(who) {
      const secret = await begunBy(who);
      return secret && enrolmentOf(secret, who.account.email);
    },
    async confirm(who, code, { address = '' }) {
      const secret = await begunBy(who);
      const step = secret && stepOf(secret, plainCode(code), clock());
      if (step === undefined) return reject('code-wrong');
      const shown = newRecoveryCodes(random);
      if (!(await store.confirm(who.session, step, shown.map(recoveryHash)))) return reject('code-wrong');
      await note(who.account, 'second-factor-enabled', address);
      return done(shown);
    },
    async accept(account, code, { address = '' }) {
      const secret = await secretOf(account);
      if (secret === undefined) return false;
      const step = stepOf(secret, plainCode(code), clock());
      if (step !== undefined) return store.spendStep(account.id, step);
      const isRecovery = await store.spendRecovery(account.id, recoveryHash(code));
      if (isRecovery) await note(account, 'recovery-code-used', address);
      return isRecovery;
    },
    async renewRecovery(account, { address = '' }) {
      const factor = await store.byAccount(account.id);
      if (factor?.isConfirmed !== true) return undefined;
      const shown = newRecoveryCodes(random);
      await store.replaceRecovery(account.id, shown.map(recoveryHash));
      await note(account, 'recovery-codes-renewed', address);
      return shown;
    },
    async disable(account, { address = '' }) {
      const hadOne = await store.remove(account.id);
      if (hadOne) await note(account, 'second-factor-disabled', address);
      return hadOne;
    },
    async reset(account) {
      const hadOne = await store.remove(account.id);
      await deps.sessions.endAll(account.id);
      return hadOne;
    },
  };
}
