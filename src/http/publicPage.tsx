import codeStyle from '../../static/code.css' with { type: 'text' };
import headerStyle from '../../static/header.css' with { type: 'text' };
import mark from '../../static/mark.svg' with { type: 'text' };
import pagesStyle from '../../static/pages.css' with { type: 'text' };
import script from '../../static/pages.js' with { type: 'text' };
import type { Children } from '../jsx/elements.ts';
import { type Asset, hashedPath, ownAsset } from './assets.ts';
import { PAGE_SECURITY_POLICY } from './commonHeaders.ts';

/** Which of the optional pages this server has. */
export type PublicPages = { readonly hasDemo: boolean; readonly hasSwagger: boolean };

const STYLES = [headerStyle, pagesStyle, codeStyle].join('\n');
const STYLE = ownAsset('/assets/pages.css', 'text/css', STYLES);
const SCRIPT = ownAsset('/assets/pages.js', 'text/javascript', script);
const MARK = ownAsset('/assets/mark.svg', 'image/svg+xml', mark);

/** The files that all pages outside of the portal use. */
export const PUBLIC_ASSETS: readonly Asset[] = [STYLE, SCRIPT, MARK];

/** The headers of pages outside of the portal. */
export const PUBLIC_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': PAGE_SECURITY_POLICY,
} as const;

type Area = 'docs' | 'api' | 'demo';

type PublicPageProps = PublicPages & {
  /** The title of the window. */
  readonly title: string;
  /** Which link of the header leads to this page. */
  readonly area?: Area;
  /** A sentence for search engines and previews. */
  readonly description?: string;
  /** Elements for `<head>` in addition to those of every page. */
  readonly head?: Children;
  /** Contents of the header between the name and the links. */
  readonly tools?: Children;
  /** The class of the body. */
  readonly layout: string;
  readonly children: Children;
};

/** The frame of all pages outside of the portal: the header with links to the other parts of the server. */
export function PublicPage(props: PublicPageProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{props.title}</title>
        {props.description !== undefined && <meta name="description" content={props.description} />}
        <link rel="icon" href={hashedPath(MARK)} />
        <link rel="stylesheet" href={hashedPath(STYLE)} />
        <script src={hashedPath(SCRIPT)} defer />
        {props.head}
      </head>
      <body class={props.layout}>
        <a class="skip" href="#content">
          Skip to content
        </a>
        <PublicHeader {...props} />
        {props.children}
      </body>
    </html>
  );
}

type HeaderProps = PublicPages & { readonly area?: Area; readonly tools?: Children };

/** The name of the product, and the links to all parts of the server. */
function PublicHeader({ hasDemo, hasSwagger, area, tools }: HeaderProps) {
  return (
    <header class="bar">
      <a class="brand" href={hasDemo ? '/' : '/docs'}>
        <img src={hashedPath(MARK)} alt="" width="28" height="28" />
        <span>Postern</span>
      </a>
      {tools}
      <nav class="links" aria-label="Postern">
        {hasDemo && <HeaderLink path="/demo" label="Demo" isCurrent={area === 'demo'} />}
        <HeaderLink path="/docs" label="Docs" isCurrent={area === 'docs'} />
        {hasSwagger && <HeaderLink path="/swagger" label="API" isCurrent={area === 'api'} />}
        <a class="open" href="/portal">
          Portal
        </a>
      </nav>
    </header>
  );
}

function HeaderLink(props: { readonly path: string; readonly label: string; readonly isCurrent: boolean }) {
  return (
    <a href={props.path} aria-current={props.isCurrent ? 'true' : undefined}>
      {props.label}
    </a>
  );
}
