import type { Children } from '../../jsx/elements.ts';
import { render } from '../../jsx/runtime.ts';
import { type Attempt, isPlainSolution, puzzleOf, shorten } from './attempt.ts';
import type { DemoRoutesDeps } from './demoRoutes.tsx';
import { type DemoChoice, Widget } from './gallery.tsx';

type StepsProps = DemoRoutesDeps & {
  readonly choice: DemoChoice;
  /** The form that was sent; undefined before that. */
  readonly attempt: Attempt | undefined;
};

/** The way of a form from the page to its verdict, with the requests of this attempt. */
export function Steps(props: StepsProps) {
  return (
    <ol class="steps">
      <PageStep {...props} />
      <PuzzleStep {...props} />
      <WorkStep {...props} />
      <VerifyStep {...props} />
    </ol>
  );
}

function Step({ title, children }: { readonly title: string; readonly children: Children }) {
  return (
    <li>
      <h3>{title}</h3>
      {children}
    </li>
  );
}

type CodeProps = {
  readonly id?: string;
  readonly title: string;
  readonly shown: string;
  /** The text that the button copies. Default: the shown text. */
  readonly copied?: string;
};

function Code({ id, title, shown, copied }: CodeProps) {
  return (
    <figure class="code" data-copy={copied}>
      <figcaption>{title}</figcaption>
      <pre id={id} tabindex={0}>
        {shown}
      </pre>
    </figure>
  );
}

function PageStep({ baseUrl, widget, sitekey, choice }: StepsProps) {
  const plain = `<script src="${baseUrl}/widget/postern.js" defer></script>`;
  const pinned = `<script src="${baseUrl}${widget.path}"\n  integrity="${widget.integrity}"\n  crossorigin="anonymous" defer></script>`;
  return (
    <Step title="Your page loads the widget">
      <p>Add the script to the page, and the element to the form.</p>
      <Code id="script" title="In the head of the page" shown={plain} />
      <Code id="markup" title="In the form" shown={render(<Widget sitekey={sitekey} choice={choice} />)} />
      <details>
        <summary>Pin an exact version</summary>
        <p>
          Browsers verify this file and cache it permanently. After an upgrade of Postern, update your pages
          to the new file.
        </p>
        <Code id="pinned" title="In the head of the page" shown={pinned} />
      </details>
    </Step>
  );
}

/** What the page shows before there is an attempt. */
const NOT_SENT = 'Send the form to see the response.';

function PuzzleStep({ baseUrl, sitekey, attempt }: StepsProps) {
  const { host } = new URL(baseUrl);
  const puzzle = attempt && puzzleOf(attempt);
  const request = `GET /puzzle?sitekey=${sitekey} HTTP/1.1\nHost: ${host}\nX-PC-Captcha-Version: 1`;
  return (
    <Step title="The browser gets a puzzle">
      <p>The sitekey is public. The puzzle is signed, so a page or a bot cannot change it.</p>
      <Code title="Browser request" shown={request} />
      {puzzle === undefined ? (
        <p class="hint">{attempt === undefined ? NOT_SENT : 'The form contained no puzzle.'}</p>
      ) : (
        <Code id="puzzle" title="Response" shown={shorten(puzzle)} copied={puzzle} />
      )}
    </Step>
  );
}

function WorkStep({ attempt }: StepsProps) {
  return (
    <Step title="The browser solves the puzzle">
      <p>
        The widget searches for numbers whose hashes are small enough, and writes them into a hidden field of
        the form. It sends nothing to Postern.
      </p>
      {attempt?.facts === undefined ? (
        <p class="hint">
          {attempt === undefined ? 'Send the form to see the solution.' : 'The form contained no solution.'}
        </p>
      ) : (
        <>
          <p id="work">{workOf(attempt.facts)}</p>
          <Code
            title="Hidden field of the form"
            shown={shorten(attempt.solution)}
            copied={attempt.solution}
          />
        </>
      )}
    </Step>
  );
}

function workOf({ difficulty, solutionCount, elapsedMs }: NonNullable<Attempt['facts']>): string {
  const work = `Your browser found ${solutionCount} numbers at difficulty ${difficulty}`;
  return elapsedMs === undefined ? `${work}.` : `${work} in ${elapsedMs} ms.`;
}

function VerifyStep(props: StepsProps) {
  const { attempt } = props;
  return (
    <Step title="Your backend verifies the solution">
      <p>
        It sends the solution with its secret API key and the sitekey that it expects, and accepts the form if{' '}
        <code>success</code> is true.{' '}
        <a href="/docs/how-to/verify-on-your-backend">Examples in eight languages</a>
      </p>
      <Code
        id="curl"
        title="Backend request"
        shown={commandOf(props, shorten)}
        copied={commandOf(props, (text) => text)}
      />
      {attempt === undefined ? (
        <p class="hint">{NOT_SENT}</p>
      ) : (
        <>
          <Code title={`Response, status ${attempt.status}`} shown={attempt.json} />
          <p>
            If you copy the request and send it again, the response has code 8, because a solution counts only
            once.
          </p>
        </>
      )}
    </Step>
  );
}

/** Only a solution is shown in the command, because visitors copy it into a terminal. Before that, the page needs no API key. */
function commandOf(
  { baseUrl, sitekey, verifyKey, attempt }: StepsProps,
  write: (solution: string) => string,
): string {
  const isShown = attempt !== undefined && isPlainSolution(attempt.solution);
  return [
    `curl -X POST ${baseUrl}/verify`,
    `  -H 'X-API-Key: ${isShown ? verifyKey : 'YOUR_VERIFY_KEY'}'`,
    `  -H 'X-PC-Sitekey: ${sitekey}'`,
    `  --data-raw '${isShown ? write(attempt.solution) : 'SOLUTION'}'`,
  ].join(' \\\n');
}
