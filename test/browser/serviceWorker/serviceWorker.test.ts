import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openTab } from '../../support/browser.ts';
import { FIELD, usePostern } from '../fixture.ts';

/** Service workers that cache the page's requests returned a puzzle again whose solution had already been accepted. */

const postern = usePostern();
let website: ReturnType<typeof Bun.serve>;

const page = () => `<!doctype html><title>cached</title>
  <script src="${postern.url}/widget/postern.js" defer></script>
  <form><div class="postern-captcha" data-sitekey="${postern.sitekey}" data-start-mode="load"></div></form>`;

const STRATEGIES: Readonly<Record<string, string>> = {
  'cache-first': 'known ?? fetched()',
  'stale-while-revalidate': '(void fetched(), known) ?? fetched()',
};
const workerOf = (strategy: string) => `
  addEventListener('install', () => skipWaiting());
  addEventListener('activate', (event) => event.waitUntil(clients.claim()));
  addEventListener('fetch', (event) => event.respondWith((async () => {
    const cache = await caches.open('all');
    const known = await cache.match(event.request);
    const fetched = async () => {
      const response = await fetch(event.request);
      await cache.put(event.request, response.clone());
      return response;
    };
    return ${STRATEGIES[strategy]};
  })()));`;

beforeAll(() => {
  website = Bun.serve({
    port: 0,
    fetch(request) {
      const { pathname, searchParams } = new URL(request.url);
      const isWorker = pathname === '/worker.js';
      return new Response(isWorker ? workerOf(searchParams.get('strategy') ?? '') : page(), {
        headers: { 'content-type': isWorker ? 'text/javascript' : 'text/html' },
      });
    },
  });
});
afterAll(() => website.stop(true));

test.each(Object.keys(STRATEGIES))(
  'every check gets a new puzzle with a service worker that is %s',
  async (strategy) => {
    const tab = await openTab();
    await tab.goto(`http://localhost:${website.port}/`);
    await tab.evaluate(`navigator.serviceWorker.register('/worker.js?strategy=${strategy}')`);
    await tab.until('navigator.serviceWorker.controller !== null');
    const codes: (number | undefined)[] = [];
    for (let visit = 0; visit < 3; visit++) {
      await tab.goto(`http://localhost:${website.port}/?${visit}`);
      await tab.until(`window.postern?.autoWidget?.state() === 'verified'`);
      codes.push((await postern.verify(await tab.evaluate<string>(FIELD))).code);
    }
    expect(
      await tab.evaluate<number>(
        "caches.open('all').then((cache) => cache.keys()).then((keys) => keys.length)",
      ),
    ).toBeGreaterThan(3);
    await tab.evaluate(`(async () => {
    for (const registration of await navigator.serviceWorker.getRegistrations()) await registration.unregister();
    await caches.delete('all');
  })()`);
    tab.close();
    expect(codes).toEqual([0, 0, 0]);
  },
);
