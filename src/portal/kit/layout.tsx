import { type HelpTopic, helpPath, helpTopicOf } from '../../http/help.ts';
import type { Children, Element } from '../../jsx/elements.ts';
import { Raw, render } from '../../jsx/runtime.ts';
import type { FieldErrors } from '../components/field.tsx';
import { Icon } from '../components/icon.tsx';
import { Breadcrumbs, type Link } from '../components/navigation.tsx';
import { ExactMoment, NameLink } from '../components/values.tsx';
import { pageContext } from '../i18n/pageContext.ts';
import { rich, t } from '../i18n/t.tsx';
import { ASSET_PATHS } from './assets.tsx';
import { WARNING_MARK } from './cookies.ts';
import type { KeyWarning, Visit } from './handler.ts';
import { Brand, Header, PreferencesLink, preferencesPath } from './header.tsx';
import { KEYS_PATH } from './paths.ts';

/** The contents of a page. */
export type Page = {
  /** The name of the page: `Settings`. */
  readonly title: string;
  /** The name of the object that the page is about. The heading and the title of the window contain both. */
  readonly object?: string;
  /** Links to the pages above this page, from the top. */
  readonly breadcrumbs?: readonly Link[];
  /** Links and buttons next to the heading. */
  readonly actions?: Children;
  /** Links to the views of the object, below the heading. */
  readonly views?: Element;
  readonly content: Children;
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
export function Layout(props: { readonly visit: Visit; readonly page: Page }) {
  const { visit, page } = props;
  const { content, head, errors = [], views } = page;
  const main = render(
    <>
      <Banners visit={visit} />
      {errors.length > 0 && <ErrorSummary errors={errors} />}
      {heading(page, helpTopicOf(visit.address))}
      {views}
      {content}
    </>,
  );
  return (
    <html lang={pageContext().language} data-theme={visit.theme === 'auto' ? undefined : visit.theme}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{windowTitle(page)}</title>
        <link rel="icon" href={ASSET_PATHS.mark} />
        <link rel="stylesheet" href={ASSET_PATHS.style} />
        <script src={ASSET_PATHS.script} defer />
        {head}
      </head>
      <body class={visit.signedIn === undefined ? 'outside' : 'inside'}>
        <a class="skip" href="#content">
          {t('kit.skip')}
        </a>
        {visit.signedIn === undefined ? (
          <header class="top">
            <Brand />
            <PreferencesLink visit={visit} />
          </header>
        ) : (
          <Header visit={visit} account={visit.signedIn.account} />
        )}
        <main id="content" tabindex={-1}>
          <Raw markup={main} />
          {main.includes('<time ') && timeZoneNote(visit)}
        </main>
      </body>
    </html>
  );
}

/** Names the time zone of the times on a page. */
function timeZoneNote(visit: Visit) {
  const { timeZone, ownTimeZone } = pageContext();
  const isUtc = timeZone === 'UTC';
  return (
    <p class="soft time-zone">
      {timeZone === ownTimeZone
        ? t(isUtc ? 'kit.zone.utc' : 'kit.zone.other', { zone: timeZone })
        : t('kit.zone.days')}{' '}
      <a href={preferencesPath(visit)}>{t('kit.zone.change')}</a>
    </p>
  );
}

function windowTitle({ title, object, errors = [] }: Page): string {
  const name = errors.length > 0 ? t('kit.errorTitle', { title }) : title;
  return [name, ...(object ? [object] : []), 'Postern'].join(' · ');
}

function heading({ title, object, breadcrumbs = [], actions }: Page, help: HelpTopic) {
  return (
    <div class="heading">
      {breadcrumbs.length > 0 && <Breadcrumbs links={breadcrumbs} />}
      <div class="heading-row">
        {object === undefined ? (
          <h1>{title}</h1>
        ) : (
          <h1>
            <bdi>{object}</bdi> <span class="view">{title}</span>
          </h1>
        )}
        <div class="heading-actions">
          {actions}
          {helpLink(help)}
        </div>
      </div>
    </div>
  );
}

/** Opens a new tab, because the page may contain a form that the user has begun to fill in. */
function helpLink(topic: HelpTopic) {
  return (
    <a class="help" href={helpPath(topic)} target="_blank" rel="noopener" aria-label={t('kit.help.label')}>
      <Icon name="docs" />
      <span>{t('kit.help.link')}</span>
    </a>
  );
}

/** What every page says about the state of the server and of the user's keys, and the notice of the previous page. */
function Banners({ visit }: { readonly visit: Visit }) {
  return (
    <>
      {visit.isInMaintenance && maintenanceBanner(visit.signedIn?.account.isAdmin === true)}
      {visit.notice !== undefined && <Notice text={visit.notice} />}
      {visit.keyWarnings.length > 0 && keyWarningBanner(visit.keyWarnings)}
    </>
  );
}

function Notice({ text }: { readonly text: string }) {
  const isWarning = text.startsWith(WARNING_MARK);
  return (
    <p class={isWarning ? 'warning' : 'notice'} role="status">
      {isWarning ? text.slice(WARNING_MARK.length) : text}
    </p>
  );
}

function maintenanceBanner(isAdmin: boolean) {
  return (
    <p class="maintenance" role="status">
      {rich('kit.maintenance.banner')}{' '}
      {isAdmin ? <a href="/portal/system">{t('kit.maintenance.switch')}</a> : t('kit.maintenance.later')}
    </p>
  );
}

function ErrorSummary({ errors }: { readonly errors: FieldErrors }) {
  return (
    <div class="error-summary" role="alert" tabindex={-1} autofocus>
      <h2>{t('kit.errors')}</h2>
      <ul>
        {errors.map(({ field, text }) => (
          <li>{field === undefined ? text : <a href={`#${field}`}>{text}</a>}</li>
        ))}
      </ul>
    </div>
  );
}

/** Keys that the banner names. */
const SHOWN = 3;

/** The banner on every page while API keys of the user are about to expire. */
function keyWarningBanner(warnings: readonly KeyWarning[]) {
  const rest = warnings.length - SHOWN;
  return (
    <div class="warning" role="status">
      <ul>
        {warnings.slice(0, SHOWN).map(({ name, path, expiresAt, daysLeft }) => {
          const parts = {
            key: <NameLink path={path} name={name} />,
            time: <ExactMoment instant={expiresAt} />,
          };
          return <li>{rich('kit.keyWarnings.expires', parts, daysLeft)}</li>;
        })}
        {rest > 0 && (
          <li>
            <a href={KEYS_PATH}>{t('kit.keyWarnings.more', { count: rest })}</a>
          </li>
        )}
      </ul>
      <p>{t('kit.keyWarnings.advice')}</p>
    </div>
  );
}
