import { afterAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { textOf } from '../../architecture/tree.ts';
import type { Tab } from '../../support/browser.ts';
import type { VerifyAnswer } from '../../support/visitor.ts';
import { isIn, usePostern, visit } from '../fixture.ts';

/** Runs the pages of docs/how-to/server-frameworks.md for libraries that send forms themselves. */

const LIBRARIES: Readonly<Record<string, string>> = {
  '/htmx.min.js': 'htmx.org/dist/htmx.min.js',
  '/turbo.js': '@hotwired/turbo/dist/turbo.es2017-umd.js',
};
const PACKAGES = join(import.meta.dir, '../../../node_modules');
const SEND = "document.querySelector('form button').click()";

const postern = usePostern();
const stops: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const stop of stops) await stop();
});

/** Serves the page with this title. @param respond the response to the form with this number, from 1 */
async function serve(title: string, respond: (number: number) => Response) {
  const page = await textOf('docs/how-to/server-frameworks.md');
  const [, code = ''] =
    new RegExp(`^\`\`\`html title="${title}"\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(page) ?? [];
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
    await tab.until(`${until(number)} && ${isIn('idle')}`);
    expect(verdicts.map(({ success, code }) => [success, code])).toEqual(Array(number).fill([true, 0]));
  }
  tab.close();
}

test('htmx sends a form twice, each time with a new solution', async () => {
  const { verdicts, ...website } = await serve('htmx.html', (number) => new Response(`form ${number}`));
  const tab = await visit(website);
  await sendTwice(
    tab,
    verdicts,
    (number) => `document.querySelector('output').textContent === 'form ${number}'`,
  );
});

test('Turbo sends a form after a stream that keeps it, and finds the widget after a redirect', async () => {
  const stream = '<turbo-stream action="append" targets="form"><template><i>1</i></template></turbo-stream>';
  const { verdicts, ...website } = await serve('turbo.html', (number) =>
    number === 1
      ? new Response(stream, {
          headers: { 'Content-Type': 'text/vnd.turbo-stream.html' },
        })
      : new Response(null, { status: 303, headers: { Location: '/welcome' } }),
  );
  const tab = await visit(website);
  await sendTwice(tab, verdicts, (number) =>
    number === 1 ? "document.querySelector('form > i') !== null" : "location.pathname === '/welcome'",
  );
});
