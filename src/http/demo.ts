import { Elysia } from 'elysia';
import { type Html, html } from '../lib/html.ts';
import { isHost } from './allowedHosts.ts';
import { HIDDEN } from './assets.ts';
import { BODY_STATUS, type Bodies, type BodyProblem, closeIfTooSlow } from './body.ts';
import { PAGE_SECURITY_POLICY } from './commonHeaders.ts';
import {
  choiceForm,
  type DemoChoice,
  type DemoLanguage,
  gallery,
  parseChoice,
  widgetMarkup,
} from './demoGallery.ts';
import { queryOf } from './query.ts';
import type { Fetch } from './server.ts';

export type DemoRoutesDeps = {
  readonly sitekey: string;
  readonly verifyKey: string;
  readonly baseUrl: string;
  /** The widget's file that never changes, and its integrity. */
  readonly widget: { readonly path: string; readonly integrity: string };
  /** The text of `static/languages.json`. */
  readonly languages: string;
  /** Asks our own front door, as a site's backend would. */
  readonly ask: Fetch;
  readonly bodies: Bodies;
};

const FIELD = 'postern-captcha-solution';
const FORM_LIMIT = 64 * 1024;
/** What a payload is made of; nothing of it means anything to a shell. */
const SHELL_SAFE = /^[A-Za-z0-9+/=.]+$/;

/** `GET /demo`: a page with the widget in a form. `POST /demo`: what a site's backend does with that form. */
export function demoRoutes(deps: DemoRoutesDeps) {
  const table = Object.entries(JSON.parse(deps.languages) as Record<string, { readonly name: string }>);
  const languages = table.map(([tag, { name }]) => ({ tag, name }));
  return new Elysia()
    .get('/', () => new Response(null, { status: 302, headers: { Location: '/demo' } }), HIDDEN)
    .get(
      '/demo',
      ({ request }) => {
        if (!isHost(request.headers.get('host'))) return page(notePage('The header Host is not valid.'), 400);
        const choice = parseChoice(queryOf(request.url), languages);
        if (choice === undefined) return page(notePage('There is no such mode, theme or language.'), 400);
        return page(formPage(deps, choice, languages));
      },
      HIDDEN,
    )
    .post('/demo', ({ request }) => submit(request, deps), { ...HIDDEN, parse: 'none' });
}

const NOT_READ: Readonly<Record<BodyProblem, string>> = {
  'body-too-large': 'The form was larger than this page accepts.',
  'body-too-slow': 'The form took longer than 30 seconds. Send it again.',
  'bodies-too-many': 'The server is busy. Send the form again in a moment.',
};

async function submit(request: Request, deps: DemoRoutesDeps): Promise<Response> {
  const body = await deps.bodies.anonymous(request, FORM_LIMIT);
  if (!body.ok) {
    return closeIfTooSlow(body.problem, page(notePage(NOT_READ[body.problem]), BODY_STATUS[body.problem]));
  }
  const solution = new URLSearchParams(new TextDecoder().decode(body.value)).get(FIELD) ?? '';
  if (solution === '')
    return page(notePage('The form came without a solution: click the widget first.'), 400);
  const answer = await deps.ask(
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
  return page(verdictPage(solution, answer.status, await answer.text(), deps));
}

function page(content: Html, status = 200): Response {
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': PAGE_SECURITY_POLICY,
    'Cache-Control': 'no-store',
  };
  return new Response(content.markup, { status, headers });
}

function layout(content: Html, head: Html = html``): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Postern demo</title>
<link rel="stylesheet" href="/demo/demo.css">
${head}</head>
<body>
<main>
<h1>Postern demo</h1>
${content}
</main>
</body>
</html>
`;
}

function formPage(deps: DemoRoutesDeps, choice: DemoChoice, languages: readonly DemoLanguage[]): Html {
  const { sitekey, baseUrl, widget } = deps;
  const { path, integrity } = widget;
  const scripts = html`<script src="/demo/demo.js" defer></script>
<script src="${path}" integrity="${integrity}" crossorigin="anonymous" defer></script>
`;
  const plain = `<script src="${baseUrl}/widget/postern.js" defer></script>`;
  const pinned = `<script src="${baseUrl}${path}"
  integrity="${integrity}"
  crossorigin="anonymous" defer></script>`;
  const element = widgetMarkup(sitekey, choice);
  return layout(
    html`<p>This is a form as a site would have it. Click the widget, or just write; wait for the tick, and send the form.</p>
<form method="post" action="/demo" id="form">
<label for="message">Message</label>
<textarea id="message" name="message" rows="3">Hello!</textarea>
${element}
<noscript><p>The check that keeps robots out needs JavaScript. Please switch it on for this page.</p></noscript>
<button type="submit">Send</button>
</form>
<p>Sites, keys and people are looked after in <a href="/portal">the portal</a>.</p>
<h2>In other ways</h2>
${choiceForm(choice, languages)}
<h2>On your page</h2>
<p>The script, always the newest:</p>
<pre id="script">${plain}</pre>
<p>Or this very version, which browsers keep for ever and check. It is gone when Postern is upgraded, so pages must
be changed along with it:</p>
<pre id="pinned">${pinned}</pre>
<p>The widget, in a form:</p>
<pre id="markup">${element.markup}</pre>
<h2>All modes and themes</h2>
<p>A popup is in the corner of the window while it works; of a hidden widget only the events tell.</p>
${gallery(sitekey)}
<h2>What the widgets tell</h2>
<ul id="events"></ul>`,
    scripts,
  );
}

function verdictPage(solution: string, status: number, verdict: string, deps: DemoRoutesDeps): Html {
  return layout(html`<h2>The verdict</h2>
<p>The page's backend asked <code>/verify</code>, which answered with status ${status}:</p>
<pre id="verdict">${readable(verdict)}</pre>
<p id="decision">${decisionOf(verdict)}</p>
${commandNote(solution, deps)}<form method="post" action="/demo" id="form">
<input type="hidden" name="${FIELD}" value="${solution}">
<button type="submit">Send the same form again</button>
<a href="/demo">Start over</a>
</form>`);
}

/** Any page may send this form: what is to be copied into a terminal must be a solution, or at least look like one. */
function commandNote(solution: string, { baseUrl, sitekey, verifyKey }: DemoRoutesDeps): Html {
  if (!SHELL_SAFE.test(solution)) return html``;
  const curl = `curl -X POST ${baseUrl}/verify \\
  -H 'X-API-Key: ${verifyKey}' \\
  -H 'X-PC-Sitekey: ${sitekey}' \\
  --data-raw '${solution}'`;
  return html`<p>This command asks the same. The solution has been counted now, so it answers code 8:</p>
<pre id="curl">${curl}</pre>
`;
}

function notePage(note: string): Html {
  return layout(html`<p role="alert">${note}</p>
<p><a href="/demo">Back to the form</a></p>`);
}

/** What a backend does with the response. */
function decisionOf(json: string): Html {
  const { success } = JSON.parse(json) as { readonly success?: unknown };
  return success === true
    ? html`The backend accepts the form, because <code>success</code> is true.`
    : html`The backend rejects the form, because <code>success</code> is false.`;
}

function readable(json: string): string {
  return JSON.stringify(JSON.parse(json), null, 2);
}
