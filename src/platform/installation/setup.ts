import { newToken, type Random } from '../../lib/ids.ts';
import type { Done } from '../../lib/outcome.ts';
import { areEqualTexts, type Sign, signatureOf } from '../../lib/signatures.ts';
import type { Clock, Instant } from '../../lib/time.ts';
import type { Account } from '../../model/account.ts';
import type { AuditEntry } from '../../model/audit.ts';
import { type EmailProblem, parseEmail } from '../../model/email.ts';
import { type NameProblem, parseName } from '../../model/name.ts';
import type { NewPasswordProblem } from '../../model/newPassword.ts';
import { type Organization, parseOrganizationName } from '../../model/organization.ts';
import type { CredentialStore, FirstAccount } from '../../model/ports/account.ts';
import type { ClientInfo } from '../../model/session.ts';
import { sha256Hex } from '../../sha256.ts';
import type { CheckNewPassword } from '../authentication/ownPassword.ts';
import type { Passwords } from '../authentication/passwords.ts';

export type SetupProblem =
  | 'setup-closed'
  | 'setup-token-wrong'
  | EmailProblem
  | 'email-taken'
  | 'passwords-busy'
  | NewPasswordProblem
  | NameProblem<'account'>
  | NameProblem<'organization'>;

export type SetupDeps = {
  readonly credentials: CredentialStore;
  readonly passwords: Pick<Passwords, 'hash'>;
  readonly checkNewPassword: CheckNewPassword;
  /** HMAC-SHA-256 with a secret of the installation if several servers must accept the same token; undefined for random tokens. */
  readonly signShared: Sign | undefined;
  readonly clock: Clock;
  readonly random: Random;
};

/** The setup of the first user, available until a user can sign in. */
export function createSetup(deps: SetupDeps) {
  /** Only the hash of the token is stored, and only in memory. */
  let tokenHash: string | undefined;

  const isOpen = async () => !(await deps.credentials.canAnyoneSignIn());
  const accepts = (token: string) => tokenHash !== undefined && areEqualTexts(sha256Hex(token), tokenHash);

  /** Once the setup is complete, a token is reported as too late, because it may have been valid before. */
  const tokenProblem = async () => ((await isOpen()) ? 'setup-token-wrong' : 'setup-closed');

  return {
    /**
     * Returns the token of the setup link, 256 bits. If there is only one server, each call invalidates the previous token.
     *
     * @returns undefined if the setup is closed
     */
    async createToken(): Promise<string | undefined> {
      if (!(await isOpen())) return undefined;
      const { signShared } = deps;
      const token = signShared === undefined ? newToken(deps.random) : signatureOf(signShared, 'setup link');
      tokenHash = sha256Hex(token);
      return token;
    },
    /** Whether no user can sign in yet. */
    isOpen,
    accepts,
    /** Creates an administrator with an organization, which closes the setup permanently. @returns the first problem of each field */
    async complete(
      input: {
        readonly token: string;
        readonly name: string;
        readonly email: string;
        readonly password: string;
        readonly organizationName: string;
      },
      clientInfo: ClientInfo,
    ): Promise<
      | Done<{ account: Account; organization: Organization }>
      | { readonly ok: false; readonly problems: readonly SetupProblem[] }
    > {
      if (!accepts(input.token)) return rejectAll(await tokenProblem());
      const name = parseName('account', input.name);
      const email = parseEmail(input.email);
      const organization = parseOrganizationName(input.organizationName);
      const password = await deps.checkNewPassword(input.password, {
        email: email.ok ? email.value : '',
        organizationName: organization.ok ? organization.value : undefined,
      });
      if (!name.ok || !email.ok || !password.ok || !organization.ok) {
        const outcomes = [name, email, password, organization];
        return rejectAll(...outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.problem])));
      }
      const hashed = await deps.passwords.hash(password.value, 'setup');
      if (!hashed.ok) return rejectAll(hashed.problem);
      const first = {
        email: email.value,
        name: name.value,
        passwordHash: hashed.value,
        organizationName: organization.value,
      };
      const now = deps.clock();
      const created = await deps.credentials.setup(first, now, toEntry(first, clientInfo, now));
      if (!created.ok) return rejectAll(created.problem);
      tokenHash = undefined;
      return created;
    },
  };
}

/** The store adds the ids of the account and the organization. */
function toEntry(first: FirstAccount, { address }: ClientInfo, at: Instant): AuditEntry {
  return {
    action: 'setup-completed',
    at,
    accountId: undefined,
    actor: first.email,
    source: 'portal',
    address,
    organizationId: undefined,
    object: first.organizationName,
  };
}

function rejectAll(...problems: readonly SetupProblem[]) {
  return { ok: false, problems } as const;
}
