import { beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { INSTALLATION } from '../../src/model/actor.ts';
import { TEST_SITEKEY } from '../../src/model/property.ts';
import { addTenant, startServer } from '../support/server.ts';
import { useServer } from '../support/useServer.ts';
import { fetchAndSolve, verify } from '../support/visitor.ts';
import { type Ask, runScenarios, send } from './scenario.ts';

let demo: { readonly sitekey: string; readonly verifyKey: string };

const FIELD = 'postern-captcha-solution';
const PAGE = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    /^(?=.*default-src 'none')(?=.*frame-ancestors 'none')(?!.*unsafe-inline)(?!.*'unsafe-eval')/,
};

const server = useServer({ settings: { POSTERN_DEMO: 'on', POSTERN_BASE_URL: 'http://captcha.test' } });
beforeAll(() => {
  if (server.app.firstStart.demo === undefined) throw new Error('no demo');
  demo = server.app.firstStart.demo;
});

function submit(body: string, headers: Record<string, string> = {}): Ask {
  const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
  return { path: '/demo', method: 'POST', headers: { ...type, ...headers }, body };
}

const withSolution = (solution: string) =>
  submit(String(new URLSearchParams({ message: 'Hello!', [FIELD]: solution })));

test('the first page mentions no setup link, because a server with an administrator prints none', async () => {
  const text = await (await fetch(server.url)).text();
  expect(text).toContain('Postern is running');
  expect(text).not.toContain('setup link');
});

describe('the demo page', () => {
  runScenarios(server, [
    {
      title: 'is linked on the welcome page, with the portal, the documentation, and the API',
      ask: { path: '/' },
      status: 200,
      headers: PAGE,
      has: ['/demo', '/portal', '/docs', '/swagger'].map((path) => `<a href="${path}">`),
      hasNot: [/<script>/, /style=/],
    },
    {
      title:
        'contains the widget with the colors of the browser, but no API key and nothing from other hosts',
      ask: { path: '/demo' },
      status: 200,
      headers: PAGE,
      has: [
        /data-sitekey="[0-9a-f]{32}"/,
        /<script src="\/widget\/postern\.[0-9a-f]{16}\.js" integrity="sha384-[A-Za-z0-9+/]{64}" crossorigin="anonymous" defer(?:="")?>/,
        /<html lang="en">/,
        /data-theme="auto" data-debug="true">/,
        'Send the form to see the response.',
      ],
      hasNot: [/https?:\/\/(?!captcha\.test)/, /<script>/, /\son\w+=/, /style=/],
    },
    {
      title: 'shows the widget with the chosen attributes, and its markup',
      ask: { path: '/demo?mode=popup&theme=dark&start=click&lang=pt-BR' },
      status: 200,
      headers: PAGE,
      has: [
        /<div class="postern-captcha" data-sitekey="[0-9a-f]{32}" data-display-mode="popup" data-theme="dark" data-start-mode="click" data-lang="pt-BR" data-debug="true">/,
        /&lt;div class=&quot;postern-captcha&quot;/,
        /<option value="popup" selected(?:="")?>/,
        /<option value="pt-BR" lang="pt-BR" selected(?:="")?>/,
      ],
    },
    {
      title: 'shows every mode in every theme',
      ask: { path: '/demo' },
      status: 200,
      has: ['widget', 'popup', 'hidden', 'inline'].flatMap((mode) =>
        ['light', 'dark', 'auto'].map((theme) => `data-display-mode="${mode}" data-theme="${theme}"`),
      ),
    },
    ...['mode=floating', 'theme=', 'lang=tlh', 'lang=de&lang=fr', 'size=large', 'mode="><script>'].map(
      (query) => ({
        title: `rejects ${query}`,
        ask: { path: `/demo?${encodeURI(query)}` },
        status: 400,
        headers: PAGE,
        has: ['A parameter of the URL is invalid or unknown.'],
        hasNot: [/<script>/],
      }),
    ),
  ]);

  test('shows the integrity of the script', async () => {
    const page = await (await send(server.url, { path: '/demo' })).text();
    const [, path = '', integrity] =
      /src=&quot;http:\/\/captcha\.test(\S+)&quot;\s+integrity=&quot;sha384-(\S+)&quot;/.exec(page) ?? [];
    const file = await (await send(server.url, { path })).bytes();
    expect(new Bun.CryptoHasher('sha384').update(file).digest('base64')).toBe(integrity as string);
    const plain = await (await send(server.url, { path: '/widget/postern.js' })).bytes();
    expect(plain).toEqual(file);
  });

  test('uses the property of the demo', async () => {
    expect(await (await send(server.url, { path: '/demo' })).text()).toContain(
      `data-sitekey="${demo.sitekey}"`,
    );
  });
});

describe('a form', () => {
  runScenarios(server, [
    {
      title: 'that is empty is rejected',
      ask: submit(''),
      status: 400,
      has: ['without a solution'],
      headers: PAGE,
    },
    {
      title: 'without a solution is rejected',
      ask: submit('message=Hello'),
      status: 400,
      has: ['without a solution'],
    },
    {
      title: 'with an empty solution is rejected',
      ask: submit(`${FIELD}=`),
      status: 400,
      has: ['without a solution'],
    },
    {
      title: 'in JSON is rejected',
      ask: submit('{}', { 'Content-Type': 'application/json' }),
      status: 400,
      headers: PAGE,
    },
    {
      title: 'with invalid text is rejected',
      ask: submit('\u{fffd}%00%ff=%zz&&&=&'),
      status: 400,
      headers: PAGE,
    },
    {
      title: 'that is too large is rejected',
      ask: submit(`${FIELD}=${'x'.repeat(65_536)}`),
      status: 413,
      has: ['larger than'],
      headers: PAGE,
    },
  ]);

  test('with an invalid solution shows the verdict and writes nothing', async () => {
    const before = await server.written();
    const response = await send(server.url, withSolution('nonsense'));
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('&quot;code&quot;: 4');
    expect(await server.written()).toEqual(before);
  });

  test('with a solution succeeds once, and the shown command gets the verdict of a repeat', async () => {
    const solution = await fetchAndSolve(server.url, demo.sitekey, 'http://localhost:8080');
    const before = await server.written();
    const first = await (await send(server.url, withSolution(solution))).text();
    expect(first).toContain('&quot;code&quot;: 0');
    expect(first).toContain('&quot;origin&quot;: &quot;localhost&quot;');
    expect(await server.written()).toEqual({ ...before, claims: before.claims + 1 });
    expect(first).toContain('Form accepted');
    expect(first).toContain('The solution is correct and was not used before.');
    const second = await (await send(server.url, withSolution(solution))).text();
    expect(second).toContain('&quot;code&quot;: 8');
    expect(second).toContain('Form rejected');
    expect(second).toContain('Each solution counts only once.');
    expect(first).toContain('curl -X POST http://captcha.test/verify');
    const [, key = ''] = /X-API-Key: (postern_verify_\w+)/.exec(first) ?? [];
    const copied = [...first.matchAll(/data-copy="([^"]*)"/g)].map(([, text = '']) => text).at(-1) ?? '';
    const [, raw = ''] = /--data-raw &#39;(.*?)&#39;/.exec(copied) ?? [];
    expect(raw).toBe(solution);
    expect(first).toContain(`data-copy="${solution.slice(solution.indexOf('.') + 1)}"`);
    expect(first).toMatch(/found 16 numbers at difficulty \d+/);
    expect(await verify(server.url, key, raw)).toMatchObject({ status: 200, code: 8 });
  });

  test('is accepted during maintenance', async () => {
    await server.app.services.maintenance.set(INSTALLATION, true);
    const solution = await fetchAndSolve(server.url, demo.sitekey, 'http://localhost:8080');
    const text = await (await send(server.url, withSolution(solution))).text();
    await server.app.services.maintenance.set(INSTALLATION, false);
    expect(text).toContain('&quot;code&quot;: 9');
    expect(text).toContain('Form accepted');
  });

  test('with a solution of the test property is rejected', async () => {
    const text = await (
      await send(server.url, withSolution(await fetchAndSolve(server.url, TEST_SITEKEY)))
    ).text();
    expect(text).toContain('&quot;code&quot;: 6');
    expect(text).toContain('Form rejected');
  });

  test('with markup shows it as text', async () => {
    const text = await (await send(server.url, withSolution('"><script>alert(1)</script>'))).text();
    expect(text).not.toContain('<script>');
    expect(text).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"');
    expect(text).not.toContain('"><script');
  });

  test('with a shell command does not show it in the curl command', async () => {
    // Any page can send this form, and users copy the shown command into a terminal.
    for (const solution of ["x'; touch /tmp/owned; '", '$(id)', '`id`', "'\n id\n'", "x' -o /tmp/x '"]) {
      const text = await (await send(server.url, withSolution(solution))).text();
      const shown = /<pre id="curl"[^>]*>(.*?)<\/pre>/s.exec(text)?.[1] ?? '';
      const copied = [...text.matchAll(/data-copy="([^"]*)"/g)].map(([, copy = '']) => copy);
      expect(copied.length).toBe(1);
      for (const command of [shown, ...copied]) expect(command).toEndWith('--data-raw &#39;SOLUTION&#39;');
    }
  });
});

describe('the demo is off', () => {
  const paths = ['/demo', '/demo/demo.css', '/demo/demo.js'];
  test('by default', async () => {
    const plain = await startServer();
    for (const path of paths) expect((await send(plain.url, { path })).status).toBe(404);
    expect((await send(plain.url, withSolution('x'))).status).toBe(404);
    await plain.stop();
  });

  test('if the data folder already has users', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'postern-test-'));
    const first = await startServer({ dataDir });
    await addTenant(first);
    await first.stop();
    const second = await startServer({ dataDir, settings: { POSTERN_DEMO: 'on' } });
    for (const path of paths) expect((await send(second.url, { path })).status).toBe(404);
    expect(await second.app.services.apiKeys.list(INSTALLATION)).toHaveLength(2);
    await second.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
});
