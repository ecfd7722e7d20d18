import type { Random } from '../../lib/ids.ts';
import type { Done } from '../../lib/outcome.ts';
import type { Clock } from '../../lib/time.ts';
import { type Account, parseEmail } from '../../model/account.ts';
import type { RecordAudit } from '../../model/audit.ts';
import type { NameProblem } from '../../model/name.ts';
import type { NewPasswordProblem } from '../../model/newPassword.ts';
import { type Organization, parseOrganizationName } from '../../model/organization.ts';
import type { CredentialStore } from '../../model/ports/credential.ts';
import type { ClientInfo } from '../../model/session.ts';
import type { CheckNewPassword } from '../authentication/newPassword.ts';
import type { Passwords } from '../authentication/passwords.ts';

export type SetupProblem =
  | 'set-up-over'
  | 'set-up-token-wrong'
  | 'email-malformed'
  | 'email-taken'
  | 'passwords-busy'
  | NewPasswordProblem
  | NameProblem<'organization'>;

/** The first account, while nobody can sign in. */
export type Setup = {
  /** Makes the token that opens it, 256 random bits; the one before is void. @returns undefined where somebody can sign in */
  readonly begin: () => Promise<string | undefined>;
  /** Whether it still awaits somebody. */
  readonly isOpen: () => Promise<boolean>;
  readonly accepts: (token: string) => boolean;
  /** Makes an administrator with an organization, and is over for good. Every problem is told, the first of each field. */
  readonly complete: (
    given: {
      readonly token: string;
      readonly email: string;
      readonly password: string;
      readonly organizationName: string;
    },
    clientInfo: ClientInfo,
  ) => Promise<
    | Done<{ account: Account; organization: Organization }>
    | { readonly ok: false; readonly problems: readonly SetupProblem[] }
  >;
};

export type SetupDeps = {
  readonly credentials: CredentialStore;
  readonly passwords: Pick<Passwords, 'hash'>;
  readonly checkNewPassword: CheckNewPassword;
  readonly audit: RecordAudit;
  readonly clock: Clock;
  readonly random: Random;
  /** SHA-256, lower-case hex. */
  readonly digest: (text: string) => string;
};

/** @see Setup */
export function createSetup(deps: SetupDeps): Setup {
  /** Of the token nothing but this is kept, and only as long as the process. */
  let tokenHash: string | undefined;

  const isOpen = async () => !(await deps.credentials.canAnyoneSignIn());
  const accepts = (token: string) => tokenHash !== undefined && deps.digest(token) === tokenHash;

  return {
    async begin() {
      if (!(await isOpen())) return undefined;
      const token = deps.random(new Uint8Array(32)).toBase64({ alphabet: 'base64url', omitPadding: true });
      tokenHash = deps.digest(token);
      return token;
    },
    isOpen,
    accepts,
    async complete(given, clientInfo) {
      if (!accepts(given.token)) return refuseAll('set-up-token-wrong');
      const email = parseEmail(given.email);
      const organization = parseOrganizationName(given.organizationName);
      const password = await deps.checkNewPassword(given.password, {
        email: email.ok ? email.value : '',
        organizationName: organization.ok ? organization.value : undefined,
      });
      if (!email.ok || !password.ok || !organization.ok) {
        const outcomes = [email, password, organization];
        return refuseAll(...outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.problem])));
      }
      const hashed = await deps.passwords.hash(password.value, 'set-up');
      if (!hashed.ok) return refuseAll(hashed.problem);
      const first = {
        email: email.value,
        name: email.value,
        passwordHash: hashed.value,
        organizationName: organization.value,
      };
      const made = await deps.credentials.setup(first, deps.clock());
      if (!made.ok) return refuseAll(made.problem);
      tokenHash = undefined;
      const { account } = made.value;
      const who = { accountId: account.id, actor: account.email, organizationId: made.value.organization.id };
      const where = { source: 'portal', address: clientInfo.address } as const;
      await deps.audit({
        ...who,
        ...where,
        action: 'set-up-completed',
        subject: made.value.organization.name,
      });
      return made;
    },
  };
}

function refuseAll(...problems: readonly SetupProblem[]) {
  return { ok: false, problems } as const;
}
