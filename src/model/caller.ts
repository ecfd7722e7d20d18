import type { AccountId } from './account.ts';
import type { ApiKeyId } from './apiKey.ts';
import type { Via } from './audit.ts';
import type { OrganizationId } from './organization.ts';

/** Who asks for something to be done, as far as permissions go. */
export type Caller = {
  readonly accountId: AccountId;
  /** Where set, the caller reaches this organization alone, whatever else the account has. */
  readonly organizationId: OrganizationId | undefined;
  /** Where an API key asks: once it is revoked, nothing more is done in its name. */
  readonly keyId?: ApiKeyId | undefined;
  /** For the audit log; permissions do not look at it. */
  readonly via?: Via | undefined;
};
