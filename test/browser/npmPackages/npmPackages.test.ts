import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openTab, type Tab } from '../../support/browser.ts';
import { BOX, COUNT_WORKERS, FIELD, isIn, usePostern } from '../fixture.ts';
import { buildPrograms, COMPONENTS, type Program } from './build.ts';

/** Runs the components of `@postern/widget` in each framework. */

const postern = usePostern();
const verdicts: number[] = [];
let server: ReturnType<typeof Bun.serve>;
let programs: ReadonlyMap<Program, string>;

beforeAll(async () => {
  programs = await buildPrograms();
  server = Bun.serve({
    port: 0,
    async fetch(request) {
      const { url } = request;
      if (request.method === 'POST') {
        const solution = (await request.formData()).get('postern-captcha-solution');
        verdicts.push((await postern.verify(String(solution))).code);
        return new Response('received');
      }
      const [name = '', extension] = new URL(url).pathname.slice(1).split('.');
      const script = programs.get(name as Program);
      if (script === undefined) return new Response(null, { status: 404 });
      const filled = script
        .replaceAll('https://captcha.example.com', postern.url)
        .replaceAll('0123456789abcdef0123456789abcdef', postern.sitekey);
      if (extension === 'js') return new Response(filled, { headers: { 'Content-Type': 'text/javascript' } });
      return new Response(pageOf(name), { headers: { 'Content-Type': 'text/html' } });
    },
  });
}, 300_000);
afterAll(() => server.stop(true));

const pageOf = (name: string) => `<!doctype html><html lang="en"><title>${name}</title><main></main>
  <script>
    window.calls = [];
    const record = (name) => (value) => { calls.push([name, value]); };
    window.callbacks = { onFinish: record('finish'), onError: record('error'), onReset: record('reset') };
  </script>
  <script type="module" src="${name}.js"></script></html>`;

async function open(program: Program): Promise<Tab> {
  const tab = await openTab();
  await tab.preload(COUNT_WORKERS);
  await tab.goto(`http://localhost:${server.port}/${program}`);
  await tab.until('window.show !== undefined');
  return tab;
}

const show = (tab: Tab, props: object | undefined) =>
  tab.evaluate(`void show(${props === undefined ? '' : JSON.stringify(props)})`);

type Call = readonly [name: string, value: unknown];
const callsOf = (tab: Tab) => tab.evaluate<readonly Call[]>('calls');

describe.each(COMPONENTS)('%s', (program) => {
  test('solves, starts over when an attribute changes, and stops when it is removed', async () => {
    const tab = await open(program);
    const props = { server: postern.url, sitekey: postern.sitekey };
    await show(tab, props);
    await tab.until(`${BOX} !== undefined && ${isIn('idle')} && Boolean(window.widget)`);

    const solution = await tab.evaluate<string>('widget.solve()');
    expect(await postern.verify(solution)).toMatchObject({ success: true, code: 0 });
    expect(await tab.evaluate<string>(FIELD)).toBe(solution);
    expect(await callsOf(tab)).toEqual([['finish', solution]]);

    await show(tab, { ...props, theme: 'dark' });
    await tab.until(
      `${isIn('idle')} && document.querySelector('.postern-captcha > div').dataset.theme === 'dark'`,
    );
    expect((await callsOf(tab)).slice(1)).toEqual([['reset', false]]);
    await tab.evaluate('void widget.reset()');
    expect((await callsOf(tab)).slice(2)).toEqual([['reset', false]]);

    await show(tab, undefined);
    await tab.until('postern.autoWidget === undefined && openWorkers === 0');
    await show(tab, props);
    await tab.until(`${BOX} !== undefined && ${isIn('idle')} && Boolean(window.widget)`);
    const next = await tab.evaluate<string>('widget.solve()');
    expect(await postern.verify(next)).toMatchObject({ success: true, code: 0 });
    expect(await tab.evaluate<number>("document.querySelectorAll('script[src*=postern]').length")).toBe(1);
    expect(tab.consoleLines.filter((line) => /^(error|warn|assert)/.test(line))).toEqual([]);
    tab.close();
  });

  test('reports a script that cannot be loaded, and has no solution', async () => {
    const tab = await open(program);
    await show(tab, { server: `http://localhost:${server.port}`, sitekey: postern.sitekey });
    await tab.until("calls.some(([name]) => name === 'error')");
    const reason = `the script http://localhost:${server.port}/widget/postern.js could not be loaded`;
    const expected = ['error', { problem: 'script-unavailable', reason, status: 0 }] as const;
    expect((await callsOf(tab)).at(-1)).toEqual([...expected]);
    expect(await tab.evaluate<string>('widget.solve()')).toBe('');
    tab.close();
  });
});

test('the form of docs/how-to/npm-packages.md is sent twice, each time with a new solution', async () => {
  const tab = await open('documentation');
  await tab.until(`${BOX} !== undefined && ${isIn('idle')}`);
  for (const number of [1, 2]) {
    await tab.evaluate("void document.querySelector('form button').click()");
    const sent =
      "performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/signup')).length";
    await tab.until(`${sent} === ${number} && ${isIn('idle')}`);
    expect(verdicts).toEqual(Array(number).fill(0));
  }
  tab.close();
});
