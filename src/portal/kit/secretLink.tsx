import { Field, type FieldErrors } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { t } from '../i18n/t.tsx';
import { Head } from './assets.tsx';
import { fieldOf } from './forms.ts';
import type { PortalDeps, Visit } from './handler.ts';
import type { Page } from './layout.tsx';
import { page, redirectTo } from './pages.tsx';
import { type LinkKind, linkPath } from './paths.ts';

/** Maximum length of a pasted link, in characters; far more than our links have. */
const LINK_MAX = 2048;
const TOKEN = /^[\w.-]{1,128}$/;

/** @returns the token of the link that was opened last in this browser, if it was of this kind; otherwise empty */
export function openedToken({ request }: Visit, { cookies }: PortalDeps, kind: LinkKind): string {
  const [openedKind, token = ''] = (cookies.read(request).link ?? '').split(' ');
  return openedKind === kind ? token : '';
}

/** Handles `POST /portal/KIND/open`: accepts a link or its token, and redirects to the page. Stores nothing. */
export function openLink(kind: LinkKind) {
  return (visit: Visit, deps: PortalDeps): Response => {
    const token = tokenIn(fieldOf(visit.form, 'link'));
    if (token === undefined) return noLinkPage(visit, kind);
    return redirectToLink(deps, kind, token);
  };
}

/** Redirects to a link's page, with the token in a cookie. */
export function redirectToLink({ cookies }: PortalDeps, kind: LinkKind, token: string): Response {
  const headers = new Headers({ 'Set-Cookie': cookies.write('link', `${kind} ${token}`) });
  return redirectTo(linkPath(kind), headers);
}

/** Deletes the link's token from the browser. */
export function clearLink({ cookies }: PortalDeps, response: Response): Response {
  response.headers.append('Set-Cookie', cookies.clear('link'));
  return response;
}

/** The page of a link. Its script opens a link in the URL, even if the page shows the contents of an earlier link. */
export function linkPage(
  visit: Visit,
  kind: LinkKind,
  parts: Omit<Page, 'head'> & {
    /** Whether the page shows the field for a link; if not, only the script fills it in. */
    readonly asksForLink?: boolean;
  },
): Response {
  const { asksForLink = false, ...shown } = parts;
  const content = (
    <>
      {parts.content}
      {openLinkForm(visit, kind, asksForLink, parts.errors ?? [])}
    </>
  );
  return page(visit, { ...shown, content, head: <Head of="link" /> });
}

function noLinkPage(visit: Visit, kind: LinkKind): Response {
  const errors = [{ field: 'link', text: t('account.openLink.invalid') }];
  return linkPage(visit, kind, {
    title: t('account.openLink.title'),
    content: <></>,
    errors,
    asksForLink: true,
  });
}

function openLinkForm(visit: Visit, kind: LinkKind, isShown: boolean, errors: FieldErrors) {
  const texts = { label: t('account.openLink.field'), help: t('account.openLink.help') };
  const button = t('account.openLink.button');
  return (
    <div hidden={!isShown}>
      <Form visit={visit} action={`${linkPath(kind)}/open`} id="open-link" button={button}>
        <Field name="link" {...texts} autocomplete="off" isLiteral errors={errors} />
      </Form>
    </div>
  );
}

/** @returns the token in a pasted link, or the text itself if it can be a token */
function tokenIn(text: string): string | undefined {
  if (text.length > LINK_MAX) return undefined;
  const trimmed = text.trim();
  const token = trimmed.slice(trimmed.lastIndexOf('=') + 1);
  return TOKEN.test(token) ? token : undefined;
}
