import type { Problem } from '../../../model/problems.ts';
import { renderPage } from '../../jsx/runtime.ts';
import { t } from '../i18n/t.ts';
import type { PortalDeps, Visit } from './handler.ts';
import { Layout, type Page } from './layout.tsx';
import { sentenceFor } from './messages.ts';

/** A page in the layout of the portal. */
export function page(visit: Visit, contents: Page): Response {
  const { errors = [], status = errors.length === 0 ? 200 : 422, retryAfter } = contents;
  const headers = new Headers({ 'Content-Type': 'text/html; charset=utf-8' });
  if (retryAfter !== undefined) headers.set('Retry-After', String(retryAfter));
  return new Response(renderPage(<Layout visit={visit} page={contents} />), { status, headers });
}

/** Redirects to another page after a form was processed (303). */
export function redirectTo(path: string, headers: Headers = new Headers()): Response {
  headers.set('Location', path);
  return new Response(null, { status: 303, headers });
}

/** Redirects (303) and shows a notice on the next page, once. */
export function redirectWithNotice(
  { cookies }: Pick<PortalDeps, 'cookies'>,
  path: string,
  notice: string,
): Response {
  return redirectTo(path, new Headers({ 'Set-Cookie': cookies.write('notice', notice) }));
}

/** The page for objects that do not exist or that the user may not see (404). */
export function notFound(visit: Visit): Response {
  return errorPage(visit, 404, t('kit.notFound.title'), t('kit.notFound.text'));
}

/** The page for a request that is rejected. @param reason a sentence about the problem and what to do */
export function errorPage(visit: Visit, status: number, title: string, reason: string): Response {
  const content = (
    <>
      <p>{reason}</p>
      <p>
        <a href="/portal">{t('kit.startPage')}</a>
      </p>
    </>
  );
  return page(visit, { title, content, status });
}

/** The response if the user lost access to the organization between the guard and the change: 403 for members, 404 for others. */
export function accessLost(visit: Visit, problem: Problem): Response {
  if (problem !== 'organization-not-owned') return notFound(visit);
  return errorPage(visit, 403, t('kit.notAllowed.title'), sentenceFor(problem));
}
