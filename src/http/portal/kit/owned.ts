import type { Problem } from '../../../model/problems.ts';
import { sentenceFor } from './messages.ts';
import { type OrganizationPlace, organizationAt } from './place.tsx';
import { notFound, refused } from './responses.tsx';
import type { PortalDeps, SignedInVisit } from './route.ts';

/** Whether who is signed in owns the organization. */
export function isOwner({ who }: SignedInVisit, { organization }: OrganizationPlace): boolean {
  return organization.ownerId === who.account.id;
}

/**
 * The organization that the path names, where only its owner may go.
 *
 * @returns a page that refuses: to members it says that they are none, for others nothing is there
 */
export async function ownedAt(visit: SignedInVisit, deps: PortalDeps): Promise<OrganizationPlace | Response> {
  const place = await organizationAt(visit, deps);
  if (place === undefined) return notFound(visit);
  return isOwner(visit, place) ? place : refusal(visit, 'organization-not-owned');
}

/** What changed since the page was shown: it is not there any more, or not theirs. */
export function refusal(visit: SignedInVisit, problem: Problem): Response {
  return problem === 'organization-not-owned'
    ? refused(visit, 403, 'Not for you', sentenceFor(problem))
    : notFound(visit);
}
