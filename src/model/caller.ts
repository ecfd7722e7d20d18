import type { AccountId } from './account.ts';
import type { OrganizationId } from './organization.ts';

/** Who asks for something to be done, as far as permissions go. */
export type Caller = {
  readonly accountId: AccountId;
  /** Where set, the caller reaches this organization alone, whatever else the account has. */
  readonly organizationId: OrganizationId | undefined;
};
