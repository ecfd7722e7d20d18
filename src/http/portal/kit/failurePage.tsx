import { PAGE_SECURITY_POLICY } from '../../commonHeaders.ts';
import { renderPage } from '../../jsx/runtime.ts';
import { negotiateLanguage } from '../i18n/languages.ts';
import { pageContext, withPageContext } from '../i18n/pageContext.ts';
import { t } from '../i18n/t.ts';
import { ASSET_PATHS } from './assets.tsx';

/** Headers of every page. Without a referrer on the same host, browsers hide the origin of forms too. */
export const PAGE_HEADERS = {
  'Content-Security-Policy': PAGE_SECURITY_POLICY,
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'same-origin',
} as const;

const FAILURES = { 400: 'invalid', 503: 'unavailable' } as const;

/** Without a link, because the request may come through a malicious host name. */
export function wrongHostPage(baseUrl: string, request: Request): Response {
  return plainPage(421, request, () => ({
    title: t('kit.failure.wrongHost.title'),
    text: t('kit.failure.wrongHost.text', { url: `${baseUrl}/portal` }),
  }));
}

/** The page for a failed request, without details of the failure. */
export function portalFailure(status: number, request: Request): Response {
  const name = status === 400 || status === 503 ? FAILURES[status] : 'failed';
  return plainPage(status, request, () => ({
    title: t(`kit.failure.${name}.title`),
    text: t(`kit.failure.${name}.text`),
  }));
}

type Texts = { readonly title: string; readonly text: string };

/** A page in the language that the browser prefers: the failure may have happened before the user's choice was read. */
function plainPage(status: number, request: Request, textsOf: () => Texts): Response {
  const language = negotiateLanguage(request.headers.get('accept-language'));
  const { title, text } = withPageContext({ ...pageContext(), language }, textsOf);
  const markup = renderPage(
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${title} · Postern`}</title>
        <link rel="icon" href={ASSET_PATHS.mark} />
        <link rel="stylesheet" href={ASSET_PATHS.style} />
      </head>
      <body class="outside">
        <main>
          <div class="heading">
            <h1>{title}</h1>
          </div>
          <section class="card">
            <p>{text}</p>
          </section>
        </main>
      </body>
    </html>,
  );
  const headers = { 'Content-Type': 'text/html; charset=utf-8', ...PAGE_HEADERS };
  return new Response(markup, { status, headers });
}
