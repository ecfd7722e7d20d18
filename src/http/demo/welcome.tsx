import type { Element } from '../../jsx/elements.ts';
import { hashedPath } from '../assets.ts';
import { PublicPage, type PublicPages } from '../publicPage.tsx';
import { DEMO_ASSETS } from './demoPage.tsx';

const STYLE = DEMO_ASSETS.find(({ type }) => type === 'text/css');

/** The page at `/` while the demo is on: links to all parts of the server. */
export function WelcomePage(pages: PublicPages): Element {
  const head = STYLE !== undefined && <link rel="stylesheet" href={hashedPath(STYLE)} />;
  return (
    <PublicPage {...pages} title="Welcome to Postern" layout="welcome" head={head}>
      <main id="content" tabindex={-1}>
        <h1>Postern is running</h1>
        <p class="lead">
          A self-hosted CAPTCHA in one executable. It protects forms with proof of work, without cookies and
          without requests to other servers.
        </p>
        <ul class="places">
          <Place
            path="/demo"
            name="Try the demo"
            text="Send a protected form as a visitor, and see every request."
          />
          <Place
            path="/portal"
            name="Open the portal"
            text="Protect your own forms. At the first start, use the setup link that the server printed."
          />
          <Place
            path="/docs"
            name="Read the docs"
            text="A tutorial, how-to guides, the reference, and a search."
          />
          {pages.hasSwagger && (
            <Place path="/swagger" name="Explore the API" text="Every operation, with a form to try it." />
          )}
        </ul>
        <p class="hint">
          This page and the demo are part of the demo mode. Without <code>POSTERN_DEMO</code>, this address
          opens the portal.
        </p>
      </main>
    </PublicPage>
  );
}

function Place(props: { readonly path: string; readonly name: string; readonly text: string }): Element {
  return (
    <li>
      <a href={props.path}>
        <strong>{props.name}</strong>
        {props.text}
      </a>
    </li>
  );
}
