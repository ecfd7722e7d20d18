import type { Outcome } from '../../lib/outcome.ts';
import type { AccountId } from '../../model/account.ts';
import { type IsCommon, type NewPasswordProblem, parseNewPassword } from '../../model/newPassword.ts';
import type { OrganizationStore } from '../../model/ports/organization.ts';

/** Organizations of a user whose names are compared with a password. */
const ORGANIZATIONS_MAX = 20;

/** The user of the password. */
export type PasswordOwner = {
  readonly email: string;
  /** For an existing user: the names of the user's organizations count too. */
  readonly accountId?: AccountId;
  /** For a user that will be created with an organization, or in one. */
  readonly organizationName?: string | undefined;
};

/** @returns the password unchanged, or the reason why it is rejected; see `parseNewPassword` */
export type CheckNewPassword = (
  text: string,
  owner: PasswordOwner,
) => Promise<Outcome<string, NewPasswordProblem>>;

/** Every new password passes this check, wherever it is chosen. */
export function createCheckNewPassword(deps: {
  readonly organizations: Pick<OrganizationStore, 'list'>;
  /** Reads the list of common passwords. */
  readonly readCommon: () => IsCommon;
}): CheckNewPassword {
  return async (text, { email, accountId, organizationName }) => {
    const joined = accountId === undefined ? [] : await deps.organizations.list(accountId);
    const names = joined.slice(0, ORGANIZATIONS_MAX).map(({ name }) => name);
    const organizationNames = organizationName === undefined ? names : [...names, organizationName];
    return parseNewPassword(text, { email, organizationNames }, deps.readCommon());
  };
}
