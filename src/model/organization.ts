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

/** @see parseName */
export function parseOrganizationName(text: string): Outcome<string, NameProblem<'organization'>> {
  return parseName('organization', text);
}
