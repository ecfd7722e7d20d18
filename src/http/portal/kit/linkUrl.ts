/**
 * Links that carry a one-time token. The token is in the URL's fragment (`#token=…`), which browsers do not send, so it
 * appears in no proxy's log. A script moves it into a form; without scripts, the user pastes the link into that form. The
 * form is sent by POST, and a cookie carries the token to the page.
 */
export type LinkKind = 'setup' | 'invitation' | 'password';

/** @returns the path of the page that a link leads to */
export function linkPath(kind: LinkKind): string {
  return `/portal/${kind}`;
}

/** @param baseUrl without a slash at its end */
export function linkTo(baseUrl: string, kind: LinkKind, token: string): string {
  return `${baseUrl}${linkPath(kind)}#token=${token}`;
}
