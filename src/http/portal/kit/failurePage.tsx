import { PAGE_SECURITY_POLICY } from '../../commonHeaders.ts';
import { renderPage } from '../../jsx/runtime.ts';
import { type Language, negotiateLanguage } from '../i18n/languages.ts';
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
  return plainPage(421, preferredLanguage(request), () => ({
    title: t('kit.failure.wrongHost.title'),
    text: t('kit.failure.wrongHost.text', { url: `${baseUrl}/portal` }),
  }));
}

/** The page for a failed request, without details of the failure. */
export function portalFailure(status: number, request: Request): Response {
  const name = status === 400 || status === 503 ? FAILURES[status] : 'failed';
  return plainPage(status, preferredLanguage(request), () => ({
    title: t(`kit.failure.${name}.title`),
    text: t(`kit.failure.${name}.text`),
  }));
}

/** The page for a request over the rate limit, in the user's language. @param seconds until the next request is allowed */
export function tooManyRequestsPage(seconds: number): Response {
  const textsOf = () => ({ title: t('kit.failure.tooMany.title'), text: t('kit.failure.tooMany.text') });
  const response = plainPage(429, pageContext().language, textsOf);
  response.headers.set('Retry-After', String(seconds));
  return response;
}

type Texts = { readonly title: string; readonly text: string };

/** The language that the browser prefers: a failure may happen before the user's choice is read. */
function preferredLanguage(request: Request): Language {
  return negotiateLanguage(request.headers.get('accept-language'));
}

function plainPage(status: number, language: Language, textsOf: () => Texts): Response {
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
