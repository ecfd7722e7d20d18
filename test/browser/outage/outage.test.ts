import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  BUTTON,
  FIELD,
  fastClock,
  isIn,
  puzzleRequests,
  STATUS,
  useBrowserCase,
  visit,
  type Website,
} from '../fixture.ts';

const { postern, serve } = useBrowserCase(import.meta.dir);
let website: Website;
let proxy: ReturnType<typeof startProxy>;

/** A proxy in front of Postern that can fail. */
function startProxy(target: string) {
  let status: 'up' | 'down' | 'busy' = 'up';
  const server = Bun.serve({
    port: 0,
    async fetch(request) {
      // To the page, a response without CORS headers is a network failure.
      if (status === 'down') return new Response(null, { status: 404 });
      const { pathname, search } = new URL(request.url);
      const headers = new Headers(request.headers);
      headers.delete('host');
      const response = await fetch(target + pathname + search, { method: request.method, headers });
      if (status === 'up' || request.method === 'OPTIONS') return response;
      return new Response('busy', { status: 503, headers: response.headers });
    },
  });
  return {
    endpoint: `http://localhost:${server.port}/puzzle`,
    setStatus: (next: typeof status) => {
      status = next;
    },
    stop: () => server.stop(true),
  };
}

beforeAll(async () => {
  proxy = startProxy(postern.url);
  website = await serve({ endpoint: proxy.endpoint });
});
afterAll(() => proxy.stop());

test('an unreachable server is tried four times, then the visitor can try again', async () => {
  proxy.setStatus('down');
  const tab = await visit(website, fastClock(50));
  await tab.click(BUTTON);
  await tab.until(isIn('failed'));
  expect(await tab.evaluate<string>(STATUS)).toContain('could not be reached');
  expect(puzzleRequests(tab)).toBe(4);
  proxy.setStatus('up');
  await tab.click(BUTTON);
  await tab.until(isIn('verified'));
  expect(await postern.verify(await tab.evaluate<string>(FIELD))).toMatchObject({ success: true });
  tab.close();
});

test('the widget waits for a server that is temporarily busy', async () => {
  proxy.setStatus('busy');
  const tab = await visit(website, fastClock(10));
  await tab.click(BUTTON);
  await tab.until(
    `${isIn('solving')} && performance.getEntriesByType('resource').some((entry) => entry.name.includes('/puzzle'))`,
  );
  proxy.setStatus('up');
  await tab.until(isIn('verified'));
  expect(puzzleRequests(tab)).toBeGreaterThan(1);
  tab.close();
});

// On localhost, the widget shows the reasons only of problems without a message of their own.
test('the message says that the server is busy if it stays busy', async () => {
  proxy.setStatus('busy');
  const tab = await visit(website, fastClock(50));
  await tab.click(BUTTON);
  await tab.until(isIn('failed'));
  await tab.until(`${STATUS}.startsWith('The check is busy right now.')`);
  tab.close();
});

test('an unstable network causes no more requests than one check', async () => {
  proxy.setStatus('down');
  const tab = await visit(website, fastClock(50));
  await tab.click(BUTTON);
  await tab.until(isIn('failed'));
  expect(puzzleRequests(tab)).toBe(4);
  await tab.evaluate(
    "void (window.failed = new Promise((resolve) => document.addEventListener('postern:error', () => resolve(true))))",
  );
  await tab.evaluate(
    "(() => { for (let i = 0; i < 100; i++) window.dispatchEvent(new Event('online')); })()",
  );
  expect(await tab.evaluate<boolean>('failed')).toBe(true);
  expect(puzzleRequests(tab)).toBe(8);
  tab.close();
});

test('the return of the network does not start a check that was rejected, reset, or not started', async () => {
  proxy.setStatus('down');
  const tab = await visit(website, fastClock(50));
  await tab.click(BUTTON);
  await tab.until(isIn('failed'));
  await tab.evaluate('postern.autoWidget.reset()');
  await tab.evaluate(
    "window.dispatchEvent(new Event('online')) && new Promise((resolve) => setTimeout(resolve, 60_000))",
  );
  expect(await tab.evaluate<boolean>(isIn('idle'))).toBe(true);
  expect(puzzleRequests(tab)).toBe(4);
  tab.close();
});
