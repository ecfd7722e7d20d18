import type { Children } from '../jsx/elements.ts';
import { renderPage } from '../jsx/runtime.ts';
import { PUBLIC_HEADERS, PublicPage, type PublicPages } from './publicPage.tsx';

/** The responses to browsers for paths that they cannot open. */
export type UnknownPages = {
  /** A path that does not exist (404). */
  readonly notFound: () => Response;
  /** A path that only programs use (405). @param allowed the methods, as in the header `Allow` */
  readonly methodNotAllowed: (allowed: string) => Response;
};

/** Creates the responses to browsers for paths that do not exist: pages with links to the parts of this server. */
export function createUnknownPages(publicPages: PublicPages): UnknownPages {
  return {
    notFound: () =>
      messagePage(
        404,
        'Page not found',
        publicPages,
        <>
          <p>This address does not exist on this server. Check its spelling, or continue here:</p>
          <Destinations {...publicPages} />
        </>,
      ),
    methodNotAllowed(allowed) {
      const response = messagePage(
        405,
        'This address is part of the API',
        publicPages,
        <>
          <p>
            It accepts only requests with the method {allowed}, which programs send. The{' '}
            <a href="/docs/reference/api">API reference</a> describes it.
          </p>
          <Destinations {...publicPages} />
        </>,
      );
      response.headers.set('Allow', allowed);
      return response;
    },
  };
}

function messagePage(status: number, title: string, publicPages: PublicPages, contents: Children): Response {
  const page = (
    <PublicPage {...publicPages} title={`${title} · Postern`} layout="message">
      <main id="content" tabindex={-1}>
        <p class="status">Error {status}</p>
        <h1>{title}</h1>
        {contents}
      </main>
    </PublicPage>
  );
  const headers = { ...PUBLIC_HEADERS, 'Cache-Control': 'no-store' };
  return new Response(renderPage(page), { status, headers });
}

function Destinations({ hasDemo, hasSwagger }: PublicPages) {
  return (
    <ul>
      <Destination path="/portal" name="Portal" text="Manage properties, API keys, and users." />
      <Destination path="/docs" name="Documentation" text="Guides, the reference, and a search." />
      {hasDemo && <Destination path="/demo" name="Demo" text="Try the widget in a form." />}
      {hasSwagger && (
        <Destination path="/swagger" name="API" text="Every operation, with a form to try it." />
      )}
    </ul>
  );
}

type DestinationProps = { readonly path: string; readonly name: string; readonly text: string };

function Destination({ path, name, text }: DestinationProps) {
  return (
    <li>
      <a href={path}>
        <strong>{name}</strong>
        {text}
      </a>
    </li>
  );
}

/**
 * Returns whether a client prefers HTML to JSON: browsers name `text/html` when they open a page, and clients of the API do not
 * (RFC 9110, section 12.5.1).
 */
export function acceptsHtml(request: Request): boolean {
  const ranges = (request.headers.get('accept') ?? '').split(',');
  return ranges.some(
    (range) => /^\s*text\/html\s*(;|$)/i.test(range) && !/;\s*q=0(\.0*)?\s*(;|$)/i.test(range),
  );
}
