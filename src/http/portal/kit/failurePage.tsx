import { PAGE_SECURITY_POLICY } from '../../commonHeaders.ts';
import { renderPage } from '../../jsx/runtime.ts';

/** Headers of every page. Without a referrer on the same host, browsers hide the origin of forms too. */
export const PAGE_HEADERS = {
  'Content-Security-Policy': PAGE_SECURITY_POLICY,
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'same-origin',
} as const;

type Failure = { readonly title: string; readonly text: string };

const FAILURE: Failure = { title: 'Something went wrong', text: 'The server log has details.' };
const FAILURES: Readonly<Record<number, Failure>> = {
  400: { title: 'Invalid request', text: 'The request could not be read. Open the page again.' },
  503: { title: 'Not available', text: 'The server is temporarily unavailable. Try again shortly.' },
};

/** Without a link, because the request may come through a malicious host name. */
export function wrongHostPage(baseUrl: string): Response {
  const text = `The portal is not available under this host name. Open ${baseUrl}/portal. To use this name too, the operator of this server can set POSTERN_BASE_URL or add the name to POSTERN_ALLOWED_HOSTS.`;
  return plainPage(421, { title: 'Wrong host name', text });
}

/** The page for a failed request, without details of the failure. */
export function portalFailure(status: number): Response {
  return plainPage(status, FAILURES[status] ?? FAILURE);
}

function plainPage(status: number, { title, text }: Failure): Response {
  const markup = renderPage(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>{`${title} · Postern`}</title>
      </head>
      <body>
        <main>
          <h1>{title}</h1>
          <p>{text}</p>
        </main>
      </body>
    </html>,
  );
  const headers = { 'Content-Type': 'text/html; charset=utf-8', ...PAGE_HEADERS };
  return new Response(markup, { status, headers });
}
