import { areEqual } from '../../lib/bytes.ts';
import { done, type Outcome, reject } from '../../lib/outcome.ts';
import { type Clock, DAY, later, toSeconds } from '../../lib/time.ts';
import type { Account, AccountId } from '../../model/account.ts';
import type { Actor } from '../../model/actor.ts';
import type { RecordAudit } from '../../model/audit.ts';
import type { NewPasswordProblem } from '../../model/newPassword.ts';
import type { CredentialStore } from '../../model/ports/credential.ts';
import type { ClientInfo } from '../../model/session.ts';
import type { CheckNewPassword } from './newPassword.ts';
import type { Passwords } from './passwords.ts';

/** How long a link is good, in milliseconds. */
const LIFETIME = 3 * DAY;

/**
 * Links with which somebody chooses a password: the first one, or another one for a lost one. Nothing is kept of them:
 * a link says whose it is and until when it is good, and is signed together with the password that it replaces. So it works
 * once, and
 * whatever else changes the password makes it void.
 */
export type PasswordLinks = {
  /** @returns the token of a link that is good for three days */
  readonly issue: (actor: Actor, id: AccountId) => Promise<Outcome<string, 'admin-only' | 'account-unknown'>>;
  /** @returns whose it is; undefined where it does not work, or not any more */
  readonly open: (token: string) => Promise<Account | undefined>;
  /** Sets the password, and ends every session of the account. */
  readonly use: (
    token: string,
    password: string,
    clientInfo: ClientInfo,
  ) => Promise<Outcome<Account, 'password-link-unknown' | 'passwords-busy' | NewPasswordProblem>>;
};

export type PasswordLinksDeps = {
  readonly credentials: Pick<CredentialStore, 'byId' | 'byEmail' | 'renewPassword'>;
  readonly passwords: Pick<Passwords, 'hash'>;
  readonly checkNewPassword: CheckNewPassword;
  readonly audit: RecordAudit;
  readonly clock: Clock;
  /** HMAC-SHA-256 with a secret of the installation, 32 bytes. */
  readonly sign: (text: string) => Uint8Array;
};

type Known = { readonly account: Account; readonly passwordHash: string | undefined };

const TOKEN = /^([0-9a-z]{1,12})\.([0-9a-z]{1,12})\.([A-Za-z0-9_-]{43})$/;

/** @see PasswordLinks */
export function createPasswordLinks(deps: PasswordLinksDeps): PasswordLinks {
  const { credentials, clock } = deps;

  async function find(id: AccountId): Promise<Known | undefined> {
    const account = await credentials.byId(id);
    return account && credentials.byEmail(account.email);
  }

  function macOf({ account, passwordHash = '' }: Known, until: number): Uint8Array {
    return deps.sign(`password link ${account.id} ${until} ${passwordHash}`);
  }

  async function open(token: string): Promise<Known | undefined> {
    const [, id = '', seconds = '', mac] = TOKEN.exec(token) ?? [];
    const until = Number.parseInt(seconds, 36);
    if (mac === undefined || toSeconds(clock()) >= until) return undefined;
    const known = await find(Number.parseInt(id, 36) as AccountId);
    if (known === undefined || known.account.disabledAt !== undefined) return undefined;
    return areEqual(Buffer.from(mac, 'base64url'), macOf(known, until)) ? known : undefined;
  }

  return {
    async issue(actor, id) {
      if (!actor.isAdmin) return reject('admin-only');
      const known = await find(id);
      if (known === undefined) return reject('account-unknown');
      const until = toSeconds(later(clock(), LIFETIME));
      const mac = Buffer.from(macOf(known, until)).toString('base64url');
      return done(`${id.toString(36)}.${until.toString(36)}.${mac}`);
    },
    open: async (token) => (await open(token))?.account,
    async use(token, password, { address }) {
      const known = await open(token);
      if (known === undefined) return reject('password-link-unknown');
      const { account, passwordHash } = known;
      const owner = { email: account.email, accountId: account.id };
      const accepted = await deps.checkNewPassword(password, owner);
      if (!accepted.ok) return accepted;
      const hashed = await deps.passwords.hash(accepted.value, `link ${account.id}`);
      if (!hashed.ok) return hashed;
      if (!(await credentials.renewPassword(account.id, passwordHash, hashed.value)))
        return reject('password-link-unknown');
      const who = { accountId: account.id, actor: account.email, source: 'portal', address } as const;
      await deps.audit({
        ...who,
        action: 'password-changed',
        organizationId: undefined,
        subject: 'by a link',
      });
      return done(account);
    },
  };
}
