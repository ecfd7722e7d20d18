import demoStyle from '../../../static/demo.css' with { type: 'text' };
import demoScript from '../../../static/demo.js' with { type: 'text' };
import galleryStyle from '../../../static/demoGallery.css' with { type: 'text' };
import type { Children, Element } from '../../jsx/elements.ts';
import { Raw } from '../../jsx/runtime.ts';
import { type Asset, hashedPath, ownAsset } from '../assets.ts';
import { PublicPage, type PublicPages } from '../publicPage.tsx';
import { type Attempt, verdictOf } from './attempt.ts';
import type { DemoRoutesDeps } from './demoRoutes.tsx';
import { ChoiceForm, type DemoChoice, type DemoLanguage, Gallery, StateGallery, Widget } from './gallery.tsx';
import { Steps } from './steps.tsx';

const STYLES = [demoStyle, galleryStyle].join('\n');
const STYLE = ownAsset('/demo/demo.css', 'text/css', STYLES);
const SCRIPT = ownAsset('/demo/demo.js', 'text/javascript', demoScript);

export const DEMO_ASSETS: readonly Asset[] = [STYLE, SCRIPT];

type LayoutProps = Pick<DemoRoutesDeps, 'widget' | 'publicPages'> & {
  readonly title: string;
  /** The card next to the introduction. */
  readonly card: Element;
  readonly children?: Children;
};

function Layout({ widget, publicPages, title, card, children }: LayoutProps) {
  const head = (
    <>
      <link rel="stylesheet" href={hashedPath(STYLE)} />
      <script src={hashedPath(SCRIPT)} defer />
      <script src={widget.path} integrity={widget.integrity} crossorigin="anonymous" defer />
    </>
  );
  return (
    <PublicPage {...publicPages} area="demo" layout="demo" head={head} title={`${title} · Postern`}>
      <main id="content" tabindex={-1}>
        <div class="hero">
          <Introduction />
          {card}
        </div>
        {children}
      </main>
    </PublicPage>
  );
}

function Introduction() {
  return (
    <div class="pitch">
      <h1>Try Postern as a visitor</h1>
      <p class="lead">
        This form is protected like one on your website. Your browser proves that it did a little work, and
        the backend of this page verifies the proof before it accepts the form.
      </p>
      <ul>
        <li>No pictures to click, no cookies, no tracking</li>
        <li>One click, and usually less than a second of work</li>
        <li>Everything on this page comes from this server</li>
      </ul>
    </div>
  );
}

type ContentsProps = DemoRoutesDeps & {
  readonly choice: DemoChoice;
  readonly tags: readonly DemoLanguage[];
};

/** The page before the form is sent. */
export function FormPage(props: ContentsProps) {
  return (
    <Layout {...props} title="Demo" card={<FormCard {...props} />}>
      <Contents {...props} attempt={undefined} />
    </Layout>
  );
}

/** The page after the form was sent. `field` is the name of the field of the solution. */
export function AttemptPage(props: ContentsProps & { readonly attempt: Attempt; readonly field: string }) {
  const title = verdictOf(props.attempt).isAccepted ? 'Form accepted' : 'Form rejected';
  return (
    <Layout {...props} title={`${title} · Demo`} card={<VerdictCard {...props} />}>
      <Contents {...props} />
    </Layout>
  );
}

/** A page with a message about a request that was rejected. */
export function NotePage(props: DemoRoutesDeps & { readonly text: string }) {
  const card = (
    <section class="card">
      <p role="alert">{props.text}</p>
      <a class="button" href="/demo">
        Back to the form
      </a>
    </section>
  );
  return <Layout {...props} title="Demo" card={card} />;
}

function FormCard({ sitekey, choice, tags }: ContentsProps) {
  return (
    <section class="card" aria-labelledby="form-title">
      <h2 id="form-title">Send us a message</h2>
      <form method="post" action="/demo" id="form">
        <label for="message">Message</label>
        <textarea id="message" name="message" rows={3}>
          Hello!
        </textarea>
        <Widget sitekey={sitekey} choice={choice} isDebugging />
        <noscript>
          <p>The check that blocks bots needs JavaScript. Turn on JavaScript for this page.</p>
        </noscript>
        <button type="submit" class="send">
          Send message
        </button>
      </form>
      <details class="options">
        <summary>Change the widget</summary>
        <ChoiceForm choice={choice} languages={tags} />
      </details>
    </section>
  );
}

function VerdictCard({ attempt, field }: { readonly attempt: Attempt; readonly field: string }) {
  const { isAccepted, reason } = verdictOf(attempt);
  return (
    <section class={`card verdict ${isAccepted ? 'accepted' : 'rejected'}`} aria-labelledby="verdict-title">
      <Raw markup={signOf(isAccepted)} />
      <h2 id="verdict-title">{isAccepted ? 'Form accepted' : 'Form rejected'}</h2>
      <p id="decision" class="reason">
        {reason}
      </p>
      <form method="post" action="/demo" id="form">
        <input type="hidden" name={field} value={attempt.solution} />
        <a class="button send" href="/demo">
          Start over
        </a>
        <button type="submit" class="send quiet">
          Send the same form again
        </button>
      </form>
      <details>
        <summary>Postern's response</summary>
        <div class="code">
          <pre id="verdict" tabindex={0}>
            {JSON.stringify(JSON.parse(attempt.json), null, 2)}
          </pre>
        </div>
      </details>
    </section>
  );
}

/** A check mark or a cross in a circle. */
function signOf(isAccepted: boolean): string {
  const path = isAccepted ? 'M14 25l7 7 13-15' : 'M17 17l14 14M31 17L17 31';
  return `<svg class="sign" viewBox="0 0 48 48" width="48" height="48" aria-hidden="true"><circle cx="24" cy="24" r="24"/><path d="${path}"/></svg>`;
}

function Contents(props: ContentsProps & { readonly attempt: Attempt | undefined }) {
  return (
    <>
      <section class="part">
        <h2 id="how">How it works</h2>
        <Steps {...props} />
        <p class="more">
          To protect your own form, <a href="/portal">open the portal</a> and create a property, or read{' '}
          <a href="/docs/tutorial/first-verification">your first verification</a>.
        </p>
      </section>
      <section class="part">
        <h2 id="states-title">All states</h2>
        <p>
          These are real widgets. This page simulates what leads to each state, such as a network that does
          not respond.
        </p>
        <StateGallery sitekey={props.sitekey} />
      </section>
      <section class="part">
        <h2 id="gallery">All modes and themes</h2>
        <p>
          The <a href="/docs/reference/widget">widget reference</a> describes all options.
        </p>
        <Gallery sitekey={props.sitekey} />
        <h3 id="events-title">Events of the widgets</h3>
        <ul id="events" aria-labelledby="events-title" />
      </section>
    </>
  );
}

/** The page at `/` while the demo is on: links to all parts of the server. */
export function WelcomePage(pages: PublicPages) {
  const head = <link rel="stylesheet" href={hashedPath(STYLE)} />;
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
          <Place path="/portal" name="Open the portal" text="Protect your own forms." />
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

function Place(props: { readonly path: string; readonly name: string; readonly text: string }) {
  return (
    <li>
      <a href={props.path}>
        <strong>{props.name}</strong>
        {props.text}
      </a>
    </li>
  );
}
