import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { Instant } from '../../../src/lib/time.ts';
import type { Account } from '../../../src/model/account.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import type { Route } from '../../../src/portal/kit/route.ts';
import { PORTAL_ROUTES } from '../../../src/portal/portalRoutes.ts';
import { examplePath } from '../../portal/kit/examples.ts';
import { addUser, type BrowserClient, type PageResponse, signedIn } from '../../support/portal.ts';
import { startServer, type TestServer } from '../../support/server.ts';
import { addYearOfTraffic } from '../../support/traffic.ts';
import { CASE_TIMEOUT_MS } from '../fixture.ts';
import { openPortalUser, type PortalUser } from './portalUser.ts';
import { weightOf } from './screens.ts';

/** Opens every page of the route table as an administrator who owns an organization, including pages that are added later. */

setDefaultTimeout(4 * CASE_TIMEOUT_MS);

/** GET routes that are not pages: files, and data for scripts. */
const NO_PAGES = /\/cost$|\.(?:csv|json)$|\/state$|\/live$|\/(?:playground|trial)\/puzzle$/;

/** Pages without a link, and how users reach them. */
const BY_OTHER_WAYS: Readonly<Record<string, string>> = {
  '/portal/search': 'the search box',
  '/portal/audit': 'bookmarks from earlier versions',
  '/portal/tasks': 'bookmarks from earlier versions',
  '/portal/tasks/:task': 'bookmarks from earlier versions',
  '/portal/confirm': 'every page that wants the password again',
  '/portal/first-property': 'the first page, while there are no properties',
  '/portal/orgs/:org/first-property': 'an organization without properties',
  '/portal/orgs/:org/first-property/:property': 'the form of its first step',
  '/portal/orgs/:org/leave': 'the address of the form, which members find in the settings of an organization',
  '/portal/orgs/:org/members/:member/remove': 'the address of the form, which is in the list of members',
};

const PAGES = PORTAL_ROUTES.filter(({ method, path }) => method === 'GET' && !NO_PAGES.test(path));

type Seen = { readonly one: Route; readonly path: string };

let server: TestServer;
let url: string;
let admin: Account;
let browser: BrowserClient;
let at: PortalUser;
let seen: readonly Seen[];

beforeAll(async () => {
  server = await startServer();
  server.clock.now = Date.UTC(2026, 10, 20, 15, 30) as Instant;
  url = server.url.replace('127.0.0.1', 'localhost');
  admin = await addUser(server, true);
  browser = await signedIn(server, admin);
  const paths: Seen[] = [];
  // First, because the example of a task deletes the first property.
  const isOfTask = ({ path }: Route) => Number(path.includes(':task'));
  for (const one of PAGES.toSorted((a, b) => isOfTask(b) - isOfTask(a)))
    paths.push({ one, path: await examplePath(one.path, server, admin) });
  seen = paths;
  const { organizations, properties } = server.app.services;
  for (const { id } of await organizations.list(INSTALLATION, admin))
    for (const { sitekey } of await properties.list(INSTALLATION, id))
      await addYearOfTraffic(server, sitekey);
  at = await openPortalUser(url);
});
afterAll(async () => {
  at.tab.close();
  await server.stop();
});

test('every page is small, follows its policy, loads nothing from other hosts, and marks the current link', async () => {
  const weights: [string, number][] = [];
  const publicOnes = seen.filter(({ one }) => one.guard === 'public');
  const others = seen.filter(({ one }) => one.guard !== 'public');
  for (const { one, path } of [...publicOnes, ...others]) {
    if (one === others[0]?.one) await at.signIn(admin.email);
    await at.go(path);
    const marked = await at.tab.evaluate<number>(
      "document.querySelectorAll('#navigation [aria-current=page]').length",
    );
    expect([one.path, marked]).toEqual([one.path, one.guard === 'public' ? 0 : 1]);
    expect(await at.tab.evaluate<string[]>('window.violations')).toEqual([]);
    const weight = await weightOf(at.tab);
    weights.push([one.path, weight]);
    expect([one.path, weight > 1000 && weight < 150_000]).toEqual([one.path, true]);
  }
  // The widget creates its worker from a blob.
  const asked = at.tab.requests.filter((sent) => !/^(?:blob|data):/.test(sent.url));
  const hosts = new Set(asked.map((sent) => new URL(sent.url).origin));
  expect([...hosts]).toEqual([url]);
  await keepWeights(weights);
});

test('every link leads to a page', async () => {
  for (const { one, path, shown: page, links } of await linksOfAll()) {
    // Public pages without a valid link show an error; an owner cannot leave.
    const status = one.path.endsWith('/leave') ? 409 : 200;
    if (one.guard !== 'public') expect([path, page.status]).toEqual([path, status]);
    for (const link of links) {
      const shown = await browser.get(link);
      expect([path, link, shown.status]).toEqual([path, link, shown.redirectPath === undefined ? 200 : 303]);
      if (shown.redirectPath !== undefined)
        expect([link, (await browser.follow(shown)).status]).toEqual([link, 200]);
    }
  }
});

test('every page has a link, and links within a page lead to an element', async () => {
  const pages = await linksOfAll();
  const all = new Set(pages.flatMap(({ links }) => links.map((link) => link.split('?')[0] ?? '')));
  for (const { one } of seen) {
    if (one.guard === 'public' || BY_OTHER_WAYS[one.path] !== undefined) continue;
    const pattern = new RegExp(`^${one.path.replaceAll(/:\w+/g, '[\\w-]+')}$`);
    expect([one.path, [...all].some((link) => pattern.test(link))]).toEqual([one.path, true]);
  }
  for (const { path, shown } of pages) {
    for (const [, id] of shown.text.matchAll(/<a [^>]*href="#([^"]*)"/g))
      expect([path, id, shown.text.includes(`id="${id}"`)]).toEqual([path, id, true]);
  }
});

type Linking = Seen & { readonly shown: PageResponse; readonly links: readonly string[] };

/** Every page, after redirects, with the paths of its links. */
async function linksOfAll(): Promise<readonly Linking[]> {
  const all: Linking[] = [];
  for (const { one, path } of seen) {
    const asked = await browser.get(path);
    const shown = asked.redirectPath === undefined ? asked : await browser.follow(asked);
    const found = [...shown.text.matchAll(/<a [^>]*href="([^"#][^"]*)"/g)];
    const links = new Set(found.map(([, href = '']) => href.replaceAll('&amp;', '&')));
    all.push({ one, path, shown, links: [...links] });
  }
  return all;
}

/** With SCREENSHOTS, also prints the sizes of the pages. */
async function keepWeights(weights: readonly (readonly [string, number])[]): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder === undefined) return;
  const lines = weights.map(([path, weight]) => `${path}\t${weight}\n`);
  await Bun.write(`${folder}/weights.txt`, lines.join(''));
}
