import type { Element } from '../../jsx/elements.ts';
import type { FieldErrors } from '../components/field.tsx';
import { ASSET_PATHS } from './assets.tsx';
import type { Visit } from './handler.ts';
import { Brand, Header } from './header.tsx';
import { KeyWarningBanner } from './keyWarnings.tsx';

/** The contents of a page. */
export type Page = {
  /** The heading, and the title of the window. */
  readonly title: string;
  readonly content: Element;
  /** Style sheets and scripts in addition to those of every page. */
  readonly head?: Element;
  /** The HTTP status. Default: 422 if there are errors, otherwise 200. */
  readonly status?: number;
  /** Seconds, for the header `Retry-After`. */
  readonly retryAfter?: number | undefined;
  /** The errors of the form that was sent. A summary at the top of the page lists them and has the focus. */
  readonly errors?: FieldErrors;
};

/** A whole page: with the navigation if a user is signed in. */
export function Layout(props: { readonly visit: Visit; readonly page: Page }): Element {
  const { visit } = props;
  const { title, content, head, errors = [] } = props.page;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${errors.length > 0 ? 'Error: ' : ''}${title} · Postern`}</title>
        <link rel="icon" href={ASSET_PATHS.mark} />
        <link rel="stylesheet" href={ASSET_PATHS.style} />
        <script src={ASSET_PATHS.script} defer />
        {head}
      </head>
      <body class={visit.signedIn === undefined ? 'outside' : 'inside'}>
        <a class="skip" href="#content">
          Skip to content
        </a>
        {visit.signedIn === undefined ? (
          <header class="top">
            <Brand />
          </header>
        ) : (
          <Header visit={visit} account={visit.signedIn.account} />
        )}
        <main id="content" tabindex={-1}>
          {visit.isInMaintenance && <MaintenanceBanner isAdmin={visit.signedIn?.account.isAdmin === true} />}
          {visit.notice !== undefined && (
            <p class="notice" role="status">
              {visit.notice}
            </p>
          )}
          {visit.keyWarnings.length > 0 && <KeyWarningBanner warnings={visit.keyWarnings} />}
          {errors.length > 0 && <ErrorSummary errors={errors} />}
          <h1>{title}</h1>
          {content}
        </main>
      </body>
    </html>
  );
}

function MaintenanceBanner({ isAdmin }: { readonly isAdmin: boolean }): Element {
  return (
    <p class="maintenance" role="status">
      <strong>Maintenance is on.</strong> You can read pages, but changes are rejected. Visitors' solutions
      are still verified.{' '}
      {isAdmin ? <a href="/portal/system">Go to the maintenance switch</a> : 'Try changes again later.'}
    </p>
  );
}

function ErrorSummary({ errors }: { readonly errors: FieldErrors }): Element {
  return (
    <div class="error-summary" role="alert" tabindex={-1} autofocus>
      <h2>There is a problem</h2>
      <ul>
        {errors.map(({ field, text }) => (
          <li>{field === undefined ? text : <a href={`#${field}`}>{text}</a>}</li>
        ))}
      </ul>
    </div>
  );
}
