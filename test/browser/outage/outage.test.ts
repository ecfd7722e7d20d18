import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import {
  BUTTON,
  CASE_TIMEOUT_MS,
  FIELD,
  fastClock,
  isIn,
  puzzlesAsked,
  type Site,
  STATUS,
  serveSite,
  startPostern,
  type TestPostern,
  visit,
} from '../fixture.ts';

setDefaultTimeout(CASE_TIMEOUT_MS);

let postern: TestPostern;
let site: Site;
let proxy: ReturnType<typeof startProxy>;

/** Stands before Postern and fails when told to. */
function startProxy(target: string) {
  let weather: 'up' | 'down' | 'busy' = 'up';
  const server = Bun.serve({
    port: 0,
    async fetch(request) {
      // An answer without CORS headers is, to the page, as good as none.
      if (weather === 'down') return new Response(null, { status: 404 });
      const { pathname, search } = new URL(request.url);
      const headers = new Headers(request.headers);
      headers.delete('host');
      const answer = await fetch(target + pathname + search, { method: request.method, headers });
      if (weather === 'up' || request.method === 'OPTIONS') return answer;
      return new Response('busy', { status: 503, headers: answer.headers });
    },
  });
  return {
    endpoint: `http://localhost:${server.port}/puzzle`,
    say: (next: typeof weather) => {
      weather = next;
    },
    stop: () => server.stop(true),
  };
}

beforeAll(async () => {
  postern = await startPostern();
  proxy = startProxy(postern.url);
  const values = { postern: postern.url, sitekey: postern.sitekey, endpoint: proxy.endpoint };
  site = await serveSite(import.meta.dir, values);
});
afterAll(async () => {
  await site.stop();
  await proxy.stop();
  await postern.stop();
});

test('a server that is down is tried four times, then the visitor may try again', async () => {
  proxy.say('down');
  const tab = await visit(site, fastClock(50));
  await tab.click(BUTTON);
  await tab.until(isIn('failed'));
  expect(await tab.evaluate<string>(STATUS)).toContain('could not be reached');
  expect(puzzlesAsked(tab)).toBe(4);
  proxy.say('up');
  await tab.click(BUTTON);
  await tab.until(isIn('verified'));
  expect(await postern.verify(await tab.evaluate<string>(FIELD))).toMatchObject({ success: true });
  tab.close();
});

test('a server that is busy for a moment is waited for', async () => {
  proxy.say('busy');
  const tab = await visit(site, fastClock(10));
  await tab.click(BUTTON);
  await tab.until(
    `${isIn('solving')} && performance.getEntriesByType('resource').some((entry) => entry.name.includes('/puzzle'))`,
  );
  proxy.say('up');
  await tab.until(isIn('verified'));
  expect(puzzlesAsked(tab)).toBeGreaterThan(1);
  tab.close();
});
