import { html } from '../../../lib/html.ts';
import type { Problem } from '../../../model/problems.ts';
import { page } from './layout.tsx';
import { sentenceFor } from './messages.ts';
import type { PortalDeps, Visit } from './route.ts';

/** On to another page, after a form was taken (303). */
export function redirectTo(path: string, headers: Headers = new Headers()): Response {
  headers.set('Location', path);
  return new Response(null, { status: 303, headers });
}

/** The same, with a sentence that the next page says once. */
export function redirectSaying(
  { cookies }: Pick<PortalDeps, 'cookies'>,
  path: string,
  notice: string,
): Response {
  return redirectTo(path, new Headers({ 'Set-Cookie': cookies.write('notice', notice) }));
}

/** What is not there, or not theirs: the two look the same. */
export function notFound(visit: Visit): Response {
  const content = html`<p>There is nothing at this address, or it is not yours to see.</p>
<p><a href="/portal">To the first page</a></p>`;
  return page(visit, { title: 'Not found', content, status: 404 });
}

/** A request that is not answered. @param reason a sentence, with what to do */
export function refused(visit: Visit, status: number, title: string, reason: string): Response {
  const content = html`<p>${reason}</p>
<p><a href="/portal">To the first page</a></p>`;
  return page(visit, { title, content, status });
}

/** The response if the user lost access to the organization between the guard and the change: 403 for members, 404 for others. */
export function accessLost(visit: Visit, problem: Problem): Response {
  if (problem !== 'organization-not-owned') return notFound(visit);
  return refused(visit, 403, 'Not for you', sentenceFor(problem));
}
