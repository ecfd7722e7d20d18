import type { Element } from '../../jsx/elements.ts';
import { renderPage } from '../../jsx/runtime.ts';
import { isHost, queryOf } from '../../lib/target.ts';
import { assetRoutes } from '../assets.ts';
import type { Bodies } from '../body.ts';
import { BODY_STATUS, type BodyProblem } from '../bodyArrival.ts';
import type { Fetch } from '../dispatcher.ts';
import { PUBLIC_HEADERS, type PublicPages } from '../publicPage.tsx';
import type { Route } from '../router.ts';
import { closeConnection } from '../unreadBody.ts';
import type { Attempt, SolutionFacts } from './attempt.ts';
import { AttemptPage, DEMO_ASSETS, FormPage, NotePage, WelcomePage } from './demoPage.tsx';
import { DEMO_CHOICE, parseChoice } from './gallery.tsx';

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
  readonly publicPages: PublicPages;
  /** Reads the puzzle and the measurements in a solution; undefined if it is malformed. */
  readonly readSolution: (solution: string) => SolutionFacts | undefined;
};

const FIELD = 'postern-captcha-solution';
const FORM_LIMIT = 64 * 1024;

/** Routes of the welcome page `GET /`, of `GET /demo`, a page with the widget in a form, and of `POST /demo`, the backend of that form. */
export function demoRoutes(deps: DemoRoutesDeps): readonly Route[] {
  const table = Object.entries(JSON.parse(deps.languages) as Record<string, { readonly name: string }>);
  const languages = table.map(([tag, { name }]) => ({ tag, name }));
  const note = (text: string, status: number) => page(<NotePage {...deps} text={text} />, status);
  const showForm = (request: Request) => {
    if (!isHost(request.headers.get('host'))) return note('The Host header is invalid.', 400);
    const choice = parseChoice(queryOf(request), languages);
    if (choice === undefined) return note('A parameter of the URL is invalid or unknown.', 400);
    return page(<FormPage {...deps} choice={choice} tags={languages} />);
  };
  const receiveForm = async (request: Request) => {
    const sent = await readSolution(request, deps);
    if ('problem' in sent) return closeConnection(note(NOT_READ[sent.problem], BODY_STATUS[sent.problem]));
    if (sent.solution === '')
      return note('The form was sent without a solution. Click the widget first.', 400);
    const attempt = await verify(sent.solution, deps);
    return page(
      <AttemptPage {...deps} choice={DEMO_CHOICE} tags={languages} attempt={attempt} field={FIELD} />,
    );
  };
  return [
    { method: 'GET', path: '/', handle: () => page(<WelcomePage {...deps.publicPages} />) },
    { method: 'GET', path: '/demo', handle: showForm },
    { method: 'POST', path: '/demo', handle: receiveForm },
    ...assetRoutes(DEMO_ASSETS),
  ];
}

const NOT_READ: Readonly<Record<BodyProblem, string>> = {
  'body-too-large': 'The form is larger than this page accepts.',
  'body-too-slow': 'The form arrived too slowly. Send it again.',
  'bodies-too-many': 'The server is busy. Send the form again in a moment.',
};

type Sent = { readonly solution: string } | { readonly problem: BodyProblem };

async function readSolution(request: Request, { bodies }: DemoRoutesDeps): Promise<Sent> {
  const body = await bodies.anonymous(request, FORM_LIMIT);
  if (!body.ok) return { problem: body.problem };
  return { solution: new URLSearchParams(new TextDecoder().decode(body.value)).get(FIELD) ?? '' };
}

/** Sends the request that the backend of a website sends. */
async function verify(solution: string, deps: DemoRoutesDeps): Promise<Attempt> {
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
  const json = await response.text();
  return { solution, status: response.status, json, facts: deps.readSolution(solution) };
}

function page(content: Element, status = 200): Response {
  const headers = { ...PUBLIC_HEADERS, 'Cache-Control': 'no-store' };
  return new Response(renderPage(content), { status, headers });
}
