import { expect, setDefaultTimeout, test } from 'bun:test';
import type { PageResponse } from '../../support/portal.ts';
import { CASE_TIMEOUT_MS } from '../fixture.ts';
import { type Seen, useEveryPage } from './everyPage.ts';
import { weightOf } from './screens.ts';

/** Opens every page of the route table as an administrator who owns an organization, including pages that are added later. */

setDefaultTimeout(4 * CASE_TIMEOUT_MS);

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

const world = useEveryPage();

test('every page is small, follows its policy, loads nothing from other hosts, and marks the current link', async () => {
  const { tab } = world.at;
  const weights: [string, number][] = [];
  await world.visitAll(async ({ one }) => {
    const marked = await tab.evaluate<number>(
      "document.querySelectorAll('#navigation [aria-current=page]').length",
    );
    expect([one.path, marked]).toEqual([one.path, one.guard === 'public' ? 0 : 1]);
    expect(await tab.evaluate<string[]>('window.violations')).toEqual([]);
    const weight = await weightOf(tab);
    weights.push([one.path, weight]);
    expect([one.path, weight > 1000 && weight < 150_000]).toEqual([one.path, true]);
  });
  // The widget creates its worker from a blob.
  const asked = tab.requests.filter((sent) => !/^(?:blob|data):/.test(sent.url));
  const hosts = new Set(asked.map((sent) => new URL(sent.url).origin));
  expect([...hosts]).toEqual([world.url]);
  await keepWeights(weights);
});

test('every link leads to a page', async () => {
  for (const { one, path, shown: page, links } of await linksOfAll()) {
    // Public pages without a valid link show an error; an owner cannot leave.
    const status = one.path.endsWith('/leave') ? 409 : 200;
    if (one.guard !== 'public') expect([path, page.status]).toEqual([path, status]);
    for (const link of links) {
      const shown = await world.browser.get(link);
      expect([path, link, shown.status]).toEqual([path, link, shown.redirectPath === undefined ? 200 : 303]);
      if (shown.redirectPath !== undefined)
        expect([link, (await world.browser.follow(shown)).status]).toEqual([link, 200]);
    }
  }
});

test('every page has a link, and links within a page lead to an element', async () => {
  const pages = await linksOfAll();
  const all = new Set(pages.flatMap(({ links }) => links.map((link) => link.split('?')[0] ?? '')));
  for (const { one } of world.seen) {
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
  for (const { one, path } of world.seen) {
    const asked = await world.browser.get(path);
    const shown = asked.redirectPath === undefined ? asked : await world.browser.follow(asked);
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
