import type { Brand } from '../lib/brand.ts';
import type { Outcome } from '../lib/outcome.ts';
import type { Instant } from '../lib/time.ts';
import type { AccountId } from './account.ts';
import { type NameProblem, parseName } from './name.ts';

export type OrganizationId = Brand<number, 'OrganizationId'>;

/** Owns properties; has one owner and any number of members. */
export type Organization = {
  readonly id: OrganizationId;
  readonly name: string;
  readonly ownerId: AccountId;
  readonly createdAt: Instant;
};

/** An organization with its owner's email address: names are unique only among the organizations of one owner. */
export type OwnedOrganization = Organization & { readonly ownerEmail: string };

/** An organization in the list of somebody who may use it. */
export type OrganizationOverview = OwnedOrganization & {
  readonly role: Member['role'];
  /** How many sites it protects now. */
  readonly properties: number;
  /** How many people may use it, the owner among them. */
  readonly members: number;
};

/** Somebody who may use an organization. */
export type Member = {
  readonly accountId: AccountId;
  readonly name: string;
  readonly email: string;
  readonly role: 'owner' | 'member';
  /** For who made the organization, when it was made. */
  readonly since: Instant;
};

/** @see parseName */
export function parseOrganizationName(text: string): Outcome<string, NameProblem<'organization'>> {
  return parseName('organization', text);
}
