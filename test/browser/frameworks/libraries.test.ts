import { afterAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { textOf } from '../../architecture/tree.ts';
import type { Tab } from '../../support/browser.ts';
import type { VerifyAnswer } from '../../support/visitor.ts';
import { isIn, usePostern, visit } from '../fixture.ts';

/** Runs the pages of docs/how-to/server-frameworks.md for libraries that send forms themselves. */

const LIBRARIES: Readonly<Record<string, string>> = {
  '/htmx.min.js': 'htmx.org/dist/htmx.min.js',
  '/jquery.min.js': 'jquery/dist/jquery.min.js',
  '/unpoly.min.js': 'unpoly/unpoly.min.js',
  '/turbo.js': '@hotwired/turbo/dist/turbo.es2017-umd.js',
};
const PACKAGES = join(import.meta.dir, '../../../node_modules');
const SEND = "document.querySelector('form button').click()";

const postern = usePostern();
const stops: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const stop of stops) await stop();
});

const page = await textOf('docs/how-to/server-frameworks.md');

function codeOf(title: string): string {
  return new RegExp(`^\`\`\`html title="${title}"\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(page)?.[1] ?? '';
}

/** Serves a page. @param respond the response to the form with this number, from 1 */
async function serve(code: string, respond: (number: number) => Response) {
  expect(code).toContain('postern.js');
  const filled = code
    .replaceAll('https://captcha.example.com', postern.url)
    .replaceAll('0123456789abcdef0123456789abcdef', postern.sitekey);
  const verdicts: VerifyAnswer[] = [];
  const server = Bun.serve({
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url, 'http://localhost');
      if (request.method === 'POST') {
        const form = new URLSearchParams(await request.text());
        verdicts.push(await postern.verify(form.get('postern-captcha-solution') ?? ''));
        return respond(verdicts.length);
      }
      const library = LIBRARIES[pathname];
      if (library !== undefined) return new Response(Bun.file(join(PACKAGES, library)));
      return new Response(filled, { headers: { 'Content-Type': 'text/html' } });
    },
  });
  stops.push(() => server.stop(true));
  return { url: `http://localhost:${server.port}/`, verdicts };
}

async function sendTwice(tab: Tab, verdicts: readonly VerifyAnswer[], until: (number: number) => string) {
  for (const number of [1, 2]) {
    await tab.evaluate(`void ${SEND}`);
    await tab.until(until(number));
    expect(verdicts.map(({ success, code }) => [success, code])).toEqual(Array(number).fill([true, 0]));
  }
  tab.close();
}

const html = (text: string) => new Response(text, { headers: { 'Content-Type': 'text/html' } });
const untilShown = (number: number) => `document.querySelector('output').textContent === 'form ${number}'`;

// The second submission contained the solution of the first one, and was rejected.
test.each([
  ['fetch', codeOf('fetch.html')],
  ['jQuery', codeOf('jquery.html')],
  ['htmx', codeOf('htmx.html')],
])('%s sends a form twice, each time with a new solution', async (_, code) => {
  const { verdicts, ...website } = await serve(code, (number) => html(`form ${number}`));
  await sendTwice(await visit(website), verdicts, untilShown);
});

test('Unpoly sends a form twice, each time with a new solution', async () => {
  const { verdicts, ...website } = await serve(codeOf('unpoly.html'), (number) =>
    html(`<output>form ${number}</output>`),
  );
  await sendTwice(await visit(website), verdicts, untilShown);
});

test('a script can reset the widget after each response of htmx', async () => {
  const code = codeOf('reset.html') + codeOf('htmx.html');
  const { verdicts, ...website } = await serve(code, (number) => html(`form ${number}`));
  const untilReset = (number: number) => `${untilShown(number)} && ${isIn('idle')}`;
  await sendTwice(await visit(website), verdicts, untilReset);
});

test.each([
  ['by itself', '', isIn('verified')],
  ['after a script has reset the widget', codeOf('reset.html'), isIn('idle')],
])('Turbo sends a form again %s, and finds the widget after a redirect', async (_, script, state) => {
  const stream = '<turbo-stream action="append" targets="form"><template><i>1</i></template></turbo-stream>';
  const code = codeOf('turbo.html').replace('<form', `${script}<form`);
  const { verdicts, ...website } = await serve(code, (number) =>
    number === 1
      ? new Response(stream, {
          headers: { 'Content-Type': 'text/vnd.turbo-stream.html' },
        })
      : new Response(null, { status: 303, headers: { Location: '/welcome' } }),
  );
  await sendTwice(await visit(website), verdicts, (number) =>
    number === 1
      ? `document.querySelector('form > i') !== null && ${state}`
      : `location.pathname === '/welcome' && ${isIn('idle')}`,
  );
});

/** A page whose listener cancels the first submission, because the form is incomplete, and sends the others. */
const VALIDATING = codeOf('fetch.html').replace(
  'event.preventDefault();',
  `event.preventDefault();
    if (!form.email.value) return void (form.querySelector('output').textContent = 'incomplete');`,
);

test('a form that a listener has found incomplete is sent after its correction', async () => {
  const { verdicts, ...website } = await serve(VALIDATING, (number) => html(`form ${number}`));
  const tab = await visit(website);
  await tab.evaluate(`void ${SEND}`);
  await tab.until("document.querySelector('output').textContent === 'incomplete'");
  expect(verdicts).toEqual([]);
  await tab.evaluate("void (document.querySelector('form').email.value = 'ada@example.com')");
  await sendTwice(tab, verdicts, untilShown);
});

test('without holdSubmit, a submission that a listener has canceled keeps its solution', async () => {
  const code = VALIDATING.replace('data-sitekey', 'data-hold-submit="false" data-sitekey');
  const { verdicts, ...website } = await serve(code, (number) => html(`form ${number}`));
  const tab = await visit(website);
  await tab.evaluate('postern.autoWidget.execute()');
  await tab.until(isIn('verified'));
  await tab.evaluate(`void ${SEND}`);
  await tab.until("document.querySelector('output').textContent === 'incomplete'");
  await tab.evaluate("void (document.querySelector('form').email.value = 'ada@example.com')");
  await tab.evaluate(`void ${SEND}`);
  await tab.until(untilShown(1));
  expect(verdicts.map(({ success }) => success)).toEqual([true]);
  tab.close();
});
