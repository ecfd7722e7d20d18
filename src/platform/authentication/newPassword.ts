import type { Outcome } from '../../lib/outcome.ts';
import type { AccountId } from '../../model/account.ts';
import { type IsCommon, type NewPasswordProblem, parseNewPassword } from '../../model/newPassword.ts';
import type { OrganizationStore } from '../../model/ports/organization.ts';

/** Maximum number of a user's organizations whose names are compared with a password. */
const ORGANIZATIONS_MAX = 20;

/** The user of the password. */
export type PasswordOwner = {
  readonly email: string;
  /** For an existing user; the names of the user's organizations are checked too. */
  readonly accountId?: AccountId;
  /** For a new user who creates or joins an organization. */
  readonly organizationName?: string | undefined;
};

/** @returns the password in NFC, or the reason why it is rejected; see `parseNewPassword` */
export type CheckNewPassword = (
  text: string,
  owner: PasswordOwner,
) => Promise<Outcome<string, NewPasswordProblem>>;

/** Creates the check that every new password must pass. */
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
