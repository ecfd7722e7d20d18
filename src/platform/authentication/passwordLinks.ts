import { done, type Outcome, reject } from '../../lib/outcome.ts';
import { isSignatureOf, type Sign, signatureOf } from '../../lib/signatures.ts';
import { type Clock, DAY, later, toSeconds } from '../../lib/time.ts';
import type { Account, AccountId } from '../../model/account.ts';
import { portalActor, type UserActor } from '../../model/actor.ts';
import type { NewPasswordProblem } from '../../model/newPassword.ts';
import type { Credential, CredentialStore } from '../../model/ports/account.ts';
import type { ClientInfo } from '../../model/session.ts';
import type { Audit } from '../audit.ts';
import type { CheckNewPassword } from './ownPassword.ts';
import type { Passwords } from './passwords.ts';

/** How long a link is valid, in milliseconds. */
const LIFETIME = 3 * DAY;

export type PasswordLinksDeps = {
  readonly credentials: Pick<CredentialStore, 'byId' | 'byEmail' | 'renewPassword'>;
  readonly passwords: Pick<Passwords, 'hash'>;
  readonly checkNewPassword: CheckNewPassword;
  readonly audit: Pick<Audit, 'entryFor' | 'recordAction'>;
  readonly clock: Clock;
  readonly sign: Sign;
};

const TOKEN = /^([0-9a-z]{1,12})\.([0-9a-z]{1,12})\.([A-Za-z0-9_-]{43})$/;

/**
 * Links with which users choose their first password, or a new one if they forgot it. Links are not stored: a link contains the
 * account, the expiry, and a signature of both and of the current password hash. Therefore it works once, and any other password
 * change invalidates it.
 */
export function createPasswordLinks(deps: PasswordLinksDeps) {
  const { credentials, audit, clock } = deps;

  async function find(id: AccountId): Promise<Credential | undefined> {
    const account = await credentials.byId(id);
    return account && credentials.byEmail(account.email);
  }

  function signedText({ account, passwordHash = '' }: Credential, until: number): string {
    return `password link ${account.id} ${until} ${passwordHash}`;
  }

  async function open(token: string): Promise<Credential | undefined> {
    const [, id = '', seconds = '', mac] = TOKEN.exec(token) ?? [];
    const until = Number.parseInt(seconds, 36);
    if (mac === undefined || toSeconds(clock()) >= until) return undefined;
    const credential = await find(Number.parseInt(id, 36) as AccountId);
    if (credential === undefined || credential.account.disabledAt !== undefined) return undefined;
    return isSignatureOf(deps.sign, signedText(credential, until), mac) ? credential : undefined;
  }

  return {
    /** For administrators. @returns the token of a link that is valid for three days */
    async issue(actor: UserActor, id: AccountId): Promise<Outcome<string, 'admin-only' | 'account-unknown'>> {
      if (!actor.isAdmin) return reject('admin-only');
      const credential = await find(id);
      if (credential === undefined) return reject('account-unknown');
      const until = toSeconds(later(clock(), LIFETIME));
      const mac = signatureOf(deps.sign, signedText(credential, until));
      await audit.recordAction(actor, {
        action: 'password-link-created',
        object: credential.account.email,
      });
      return done(`${id.toString(36)}.${until.toString(36)}.${mac}`);
    },
    /** @returns the account of the link; undefined if the link is invalid, expired, or already used */
    open: async (token: string): Promise<Account | undefined> => (await open(token))?.account,
    /** For anyone who has the link. Sets the password and ends all sessions of the account. */
    async use(
      token: string,
      password: string,
      { address }: Pick<ClientInfo, 'address'>,
    ): Promise<Outcome<Account, 'password-link-unknown' | 'passwords-busy' | NewPasswordProblem>> {
      const credential = await open(token);
      if (credential === undefined) return reject('password-link-unknown');
      const { account, passwordHash } = credential;
      const owner = { email: account.email, accountId: account.id };
      const accepted = await deps.checkNewPassword(password, owner);
      if (!accepted.ok) return accepted;
      const hashed = await deps.passwords.hash(accepted.value, `link ${account.id}`);
      if (!hashed.ok) return hashed;
      const audited = { action: 'password-changed', object: 'by a link' } as const;
      const entry = await audit.entryFor(portalActor(account, address), audited);
      const isSet = await credentials.renewPassword(account.id, passwordHash, hashed.value, entry);
      return isSet ? done(account) : reject('password-link-unknown');
    },
  };
}
