import { Elysia } from 'elysia';
import { isHost } from './allowedHosts.ts';
import { HIDDEN } from './assets.ts';
import { BODY_STATUS, type Bodies, type BodyProblem, closeConnection } from './body.ts';
import { PAGE_SECURITY_POLICY } from './commonHeaders.ts';
import {
  ChoiceForm,
  type DemoChoice,
  type DemoLanguage,
  Gallery,
  parseChoice,
  Widget,
} from './demoGallery.tsx';
import type { Children, Element } from './jsx/elements.ts';
import { render, renderPage } from './jsx/runtime.ts';
import { queryOf } from './query.ts';
import type { Fetch } from './server.ts';

export type DemoRoutesDeps = {
  readonly sitekey: string;
  readonly verifyKey: string;
  readonly baseUrl: string;
  /** The immutable path of the widget's file, and its integrity. */
  readonly widget: { readonly path: string; readonly integrity: string };
  /** The text of `static/languages.json`. */
  readonly languages: string;
  /** Sends a request to this server, as the backend of a website would. */
  readonly send: Fetch;
  readonly bodies: Bodies;
};

const FIELD = 'postern-captcha-solution';
const FORM_LIMIT = 64 * 1024;
/** The characters of a payload. None of them is special in a shell. */
const SHELL_SAFE = /^[A-Za-z0-9+/=.]+$/;

/** Routes of `GET /demo`, a page with the widget in a form, and `POST /demo`, the backend of that form. */
export function demoRoutes(deps: DemoRoutesDeps) {
  const table = Object.entries(JSON.parse(deps.languages) as Record<string, { readonly name: string }>);
  const languages = table.map(([tag, { name }]) => ({ tag, name }));
  return new Elysia()
    .get('/', () => new Response(null, { status: 302, headers: { Location: '/demo' } }), HIDDEN)
    .get(
      '/demo',
      ({ request }) => {
        if (!isHost(request.headers.get('host')))
          return page(<NotePage>The Host header is invalid.</NotePage>, 400);
        const choice = parseChoice(queryOf(request.url), languages);
        if (choice === undefined) {
          return page(<NotePage>A parameter of the URL is invalid or unknown.</NotePage>, 400);
        }
        return page(<FormPage {...deps} choice={choice} tags={languages} />);
      },
      HIDDEN,
    )
    .post('/demo', ({ request }) => submit(request, deps), { ...HIDDEN, parse: 'none' });
}

const NOT_READ: Readonly<Record<BodyProblem, string>> = {
  'body-too-large': 'The form is larger than this page accepts.',
  'body-too-slow': 'The form took longer than 30 seconds. Send it again.',
  'bodies-too-many': 'The server is busy. Send the form again in a moment.',
};

async function submit(request: Request, deps: DemoRoutesDeps): Promise<Response> {
  const body = await deps.bodies.anonymous(request, FORM_LIMIT);
  if (!body.ok) {
    return closeConnection(page(<NotePage>{NOT_READ[body.problem]}</NotePage>, BODY_STATUS[body.problem]));
  }
  const solution = new URLSearchParams(new TextDecoder().decode(body.value)).get(FIELD) ?? '';
  if (solution === '') {
    return page(<NotePage>The form was sent without a solution. Click the widget first.</NotePage>, 400);
  }
  const response = await deps.send(
    new Request(`${deps.baseUrl}/verify`, {
      method: 'POST',
      headers: {
        'X-API-Key': deps.verifyKey,
        'X-PC-Sitekey': deps.sitekey,
        'Content-Type': 'text/plain',
      },
      body: solution,
    }),
  );
  const verdict = await response.text();
  return page(<VerdictPage {...deps} solution={solution} status={response.status} verdict={verdict} />);
}

function page(content: Element, status = 200): Response {
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': PAGE_SECURITY_POLICY,
    'Cache-Control': 'no-store',
  };
  return new Response(renderPage(content), { status, headers });
}

/** @param head elements for `<head>` in addition to those of every page */
function Layout({ head, children }: { readonly head?: Element; readonly children: Children }): Element {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Postern demo</title>
        <link rel="stylesheet" href="/demo/demo.css" />
        {head}
      </head>
      <body>
        <main>
          <h1>Postern demo</h1>
          {children}
        </main>
      </body>
    </html>
  );
}

type FormPageProps = DemoRoutesDeps & { readonly choice: DemoChoice; readonly tags: readonly DemoLanguage[] };

function FormPage({ sitekey, baseUrl, widget, choice, tags }: FormPageProps): Element {
  const { path, integrity } = widget;
  const scripts = (
    <>
      <script src="/demo/demo.js" defer />
      <script src={path} integrity={integrity} crossorigin="anonymous" defer />
    </>
  );
  const plain = `<script src="${baseUrl}/widget/postern.js" defer></script>`;
  const pinned = `<script src="${baseUrl}${path}"\n  integrity="${integrity}"\n  crossorigin="anonymous" defer></script>`;
  const element = <Widget sitekey={sitekey} choice={choice} />;
  return (
    <Layout head={scripts}>
      <p>
        This form is like one on your website. Click the widget or start typing, wait for the check mark, and
        send the form.
      </p>
      <form method="post" action="/demo" id="form">
        <label for="message">Message</label>
        <textarea id="message" name="message" rows={3}>
          Hello!
        </textarea>
        {element}
        <noscript>
          <p>The check that blocks bots needs JavaScript. Turn on JavaScript for this page.</p>
        </noscript>
        <button type="submit">Send</button>
      </form>
      <p>
        Manage properties, API keys, and users in <a href="/portal">the portal</a>.
      </p>
      <h2>Other variants</h2>
      <ChoiceForm choice={choice} languages={tags} />
      <h2>On your page</h2>
      <p>Add the script. This URL always returns the current version:</p>
      <pre id="script">{plain}</pre>
      <p>
        Or add this exact version, which browsers verify and cache permanently. An upgrade of Postern removes
        it, so update your pages at the same time:
      </p>
      <pre id="pinned">{pinned}</pre>
      <p>Add the widget inside a form:</p>
      <pre id="markup">{render(element)}</pre>
      <h2>All modes and themes</h2>
      <p>
        A popup appears in the corner of the window during the check. A hidden widget shows nothing; see its
        events below.
      </p>
      <Gallery sitekey={sitekey} />
      <h2>Events of the widgets</h2>
      <ul id="events" />
    </Layout>
  );
}

type VerdictPageProps = DemoRoutesDeps & {
  readonly solution: string;
  readonly status: number;
  /** JSON. */
  readonly verdict: string;
};

function VerdictPage({ solution, status, verdict, ...deps }: VerdictPageProps): Element {
  return (
    <Layout>
      <h2>The verdict</h2>
      <p>
        The backend of this page sent the solution to <code>/verify</code>, which responded with status{' '}
        {status}:
      </p>
      <pre id="verdict">{JSON.stringify(JSON.parse(verdict), null, 2)}</pre>
      <p id="decision">{decisionOn(verdict)}</p>
      {SHELL_SAFE.test(solution) && <CurlCommand {...deps} solution={solution} />}
      <form method="post" action="/demo" id="form">
        <input type="hidden" name={FIELD} value={solution} />
        <button type="submit">Send the same form again</button> <a href="/demo">Start over</a>
      </form>
    </Layout>
  );
}

/** Any page can send this form, so the command is shown only for text that looks like a solution. */
function CurlCommand({
  baseUrl,
  sitekey,
  verifyKey,
  solution,
}: DemoRoutesDeps & { readonly solution: string }): Element {
  const lines = [
    `curl -X POST ${baseUrl}/verify`,
    `  -H 'X-API-Key: ${verifyKey}'`,
    `  -H 'X-PC-Sitekey: ${sitekey}'`,
    `  --data-raw '${solution}'`,
  ];
  return (
    <>
      <p>
        This command sends the same request. The solution was already verified, so the response has code 8:
      </p>
      <pre id="curl">{lines.join(' \\\n')}</pre>
    </>
  );
}

function NotePage({ children }: { readonly children: string }): Element {
  return (
    <Layout>
      <p role="alert">{children}</p>
      <p>
        <a href="/demo">Back to the form</a>
      </p>
    </Layout>
  );
}

/** A sentence about the decision that a backend makes with this response. */
function decisionOn(json: string): Children {
  const { success } = JSON.parse(json) as { readonly success?: unknown };
  const isAccepted = success === true;
  return [
    `The backend ${isAccepted ? 'accepts' : 'rejects'} the form because `,
    <code>success</code>,
    ` is ${isAccepted}.`,
  ];
}
