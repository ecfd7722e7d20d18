import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { widgetLanguages } from '../../../bundle.ts';
import { ENGLISH, type Texts } from '../../../src/widget/i18n.ts';
import type { Tab } from '../../support/browser.ts';
import {
  BOX,
  BUTTON,
  CASE_TIMEOUT_MS,
  FIELD,
  isIn,
  STATUS,
  serveSite,
  startPostern,
  type TestPostern,
  visit,
} from '../fixture.ts';

setDefaultTimeout(CASE_TIMEOUT_MS);

type Entry = { readonly dir: string; readonly texts: Texts };
const TABLE = JSON.parse(widgetLanguages()) as Readonly<Record<string, Entry>>;
const textsIn = (tag: string) => (TABLE[tag] as Entry).texts;

const HOST = "document.querySelector('.postern-captcha > div')";
const LABEL = `${HOST}?.shadowRoot.querySelector('.label').textContent`;
const LIVE = `${HOST}.shadowRoot.querySelector('.status').getAttribute('aria-live')`;
const says = (text: string) => `${LABEL} === ${JSON.stringify(text)}`;

let postern: TestPostern;
let script: string;
let tab: Tab | undefined;
const closing: (() => unknown)[] = [];

beforeAll(async () => {
  postern = await startPostern();
  script = await (await fetch(`${postern.url}/widget/postern.js`)).text();
});
afterEach(async () => {
  tab?.close();
  tab = undefined;
  for (const close of closing.splice(0)) await close();
});
afterAll(() => postern.stop());

type Page = {
  readonly lang?: string;
  readonly dir?: string;
  readonly widgets?: string;
  readonly scriptHost?: string;
  /** What the browser says that the visitor reads. */
  readonly visitor?: readonly string[];
};

const widget = (attributes = '') =>
  `<div class="postern-captcha" data-sitekey="${postern.sitekey}" data-puzzle-endpoint="${postern.url}/puzzle" ${attributes}></div>`;

async function open({
  lang = '',
  dir = '',
  widgets = widget(),
  scriptHost = postern.url,
  visitor = ['en-US'],
}: Page): Promise<Tab> {
  const script = `${scriptHost}/widget/postern.js`;
  const site = await serveSite(import.meta.dir, { lang, dir, widgets: `-->${widgets}<!--`, script });
  closing.push(site.stop);
  tab = await visit(
    site,
    `Object.defineProperty(navigator, 'languages', { get: () => ${JSON.stringify(visitor)} });`,
  );
  return tab;
}

const languageFiles = ({ requests }: Tab) =>
  requests.filter(({ url }) => url.includes('/lang/')).map(({ url }) => new URL(url));

describe('the language is', () => {
  test.each<[string, string, Page]>([
    ['that of the page', 'de', { lang: 'de-AT' }],
    ['that of the nearest element', 'fr', { lang: 'de', widgets: '<section lang="fr">{}</section>' }],
    ['that of the visitor, where the page has none', 'ja', { visitor: ['tlh', 'ja-JP', 'de'] }],
    ['that of the page, before the visitor’s', 'pt-BR', { lang: 'pt-BR', visitor: ['de'] }],
    ['the visitor’s, where the page’s is not there', 'zh-Hant', { lang: 'tlh', visitor: ['zh-HK'] }],
  ])('%s: %s', async (_, tag, page) => {
    const widgets = (page.widgets ?? '{}').replace('{}', widget());
    const opened = await open({ ...page, widgets });
    await opened.until(says(textsIn(tag).label));
    expect(await opened.evaluate<string>(STATUS)).toBe(textsIn(tag).idle);
    expect(await opened.evaluate<string>(`${HOST}.lang`)).toBe(tag);
  });

  test('the chosen one, whatever the page and the visitor have', async () => {
    const page = await open({
      lang: 'de',
      visitor: ['fr'],
      widgets: widget('data-lang="pl-PL"'),
    });
    await page.until(says(textsIn('pl').label));
    await page.click(BUTTON);
    await page.until(isIn('verified'));
    expect(await page.evaluate<string>(STATUS)).toBe(textsIn('pl').verified);
  });

  test('that of the page around a shadow root', async () => {
    const page = await open({ lang: 'sv' });
    await page.evaluate(`(() => {
      const outside = document.createElement('section');
      const inside = document.createElement('div');
      inside.dataset.sitekey = '${postern.sitekey}';
      outside.attachShadow({ mode: 'open' }).append(inside);
      document.body.append(outside);
      postern.render(inside);
      window.shadowed = inside;
    })()`);
    await page.until(
      `shadowed.firstChild.shadowRoot.querySelector('.label').textContent === ${JSON.stringify(textsIn('sv').label)}`,
    );
  });

  test('English without asking anybody, for a page in English', async () => {
    const page = await open({ lang: 'en-GB', visitor: ['de'] });
    await page.click(BUTTON);
    await page.until(isIn('verified'));
    expect(await page.evaluate<string>(STATUS)).toBe(ENGLISH.texts.verified);
    expect(languageFiles(page)).toEqual([]);
  });
});

test('one file serves all widgets of a page; it comes from the script’s host, without a cookie', async () => {
  const page = await open({ lang: 'de', widgets: widget() + widget() });
  await page.until(says(textsIn('de').label));
  const files = languageFiles(page);
  expect(files.map(({ origin }) => origin)).toEqual([new URL(postern.url).origin]);
  const [asked] = page.requests.filter(({ url }) => url.includes('/lang/'));
  expect(Object.keys(asked?.headers ?? {}).map((name) => name.toLowerCase())).not.toContain('referer');
});

test('right-to-left languages are mirrored, in a page that runs the other way too', async () => {
  const page = await open({ widgets: widget('data-lang="ar"') });
  const middleOf = (part: string) =>
    `(({ left, right }) => (left + right) / 2)(${HOST}.shadowRoot.querySelector('${part}').getBoundingClientRect())`;
  const middles = () => page.evaluate<number[]>(`[${['svg', '.label', '.name'].map(middleOf).join(', ')}]`);
  await page.until(says(textsIn('ar').label));
  expect(await page.evaluate<string>(`${HOST}.dir`)).toBe('rtl');
  const [mark = 0, label = 0, name = 0] = await middles();
  expect(mark).toBeGreaterThan(label);
  expect(label).toBeGreaterThan(name);
  expect(
    await page.evaluate<string>(
      `getComputedStyle(${HOST}.shadowRoot.querySelector('.fill')).transformOrigin`,
    ),
  ).not.toStartWith('0px');
  expect(await page.evaluate<string>(`getComputedStyle(${BOX}).textAlign`)).toBe('start');
});

test('left-to-right languages are not mirrored in a right-to-left page', async () => {
  const page = await open({ lang: 'ar', dir: 'rtl', widgets: widget('data-lang="de"') });
  await page.until(says(textsIn('de').label));
  const isMarkLeft = `${HOST}.shadowRoot.querySelector('svg').getBoundingClientRect().right <=
    ${HOST}.shadowRoot.querySelector('.label').getBoundingClientRect().left`;
  expect(await page.evaluate<boolean>(isMarkLeft)).toBe(true);
});

test('an English reason keeps its direction in a right-to-left sentence', async () => {
  const page = await open({
    widgets: widget('data-lang="he"').replace(postern.sitekey, postern.foreignSitekey),
  });
  await page.until(says(textsIn('he').label));
  await page.click(BUTTON);
  await page.until(isIn('failed'));
  const { problems, reason } = textsIn('he');
  const status = await page.evaluate<string>(STATUS);
  expect(status).toStartWith(`${problems['puzzle-refused']} ${reason} \u2068This page`);
  expect(status).toEndWith('.\u2069');
});

/** A host with the script and these language files. */
function serveScript(languageFile: () => Response | Promise<Response>): string {
  const server = Bun.serve({
    port: 0,
    fetch: ({ url }) => (url.includes('/lang/') ? languageFile() : new Response(script, SCRIPT)),
  });
  closing.push(() => server.stop(true));
  return `http://localhost:${server.port}`;
}

const SCRIPT = { headers: { 'Content-Type': 'text/javascript' } };
const FREE = { 'Access-Control-Allow-Origin': '*' };

describe('a language file costs nothing but English when it', () => {
  test.each<[string, () => Response | Promise<Response>]>([
    ['is not there', () => new Response('', { status: 404 })],
    ['is not there, and the page may know', () => new Response('{}', { status: 404, headers: FREE })],
    ['may not be read', () => Response.json(TABLE.de)],
    ['is no JSON', () => new Response('<!doctype html>', { headers: FREE })],
    ['is another JSON', () => Response.json(null, { headers: FREE })],
    ['never comes', () => new Promise<Response>(() => {})],
  ])('%s', async (_, languageFile) => {
    const page = await open({ lang: 'de', scriptHost: serveScript(languageFile) });
    await page.click(BUTTON);
    await page.until(isIn('verified'));
    expect(languageFiles(page)).toHaveLength(1);
    expect(await page.evaluate<string>(LABEL)).toBe(ENGLISH.texts.label);
    expect(await page.evaluate<string>(STATUS)).toBe(ENGLISH.texts.verified);
    expect(await page.evaluate<string>(`${HOST}.lang + ' ' + ${HOST}.dir`)).toBe('en ltr');
    expect(await postern.verify(await page.evaluate<string>(FIELD))).toMatchObject({ success: true });
  });
});

test('texts that an older table does not have are English', async () => {
  const old = { dir: 'ltr', texts: { label: 'Ich bin ein Mensch' } };
  const page = await open({
    lang: 'de',
    scriptHost: serveScript(() => Response.json(old, { headers: FREE })),
  });
  await page.until(says('Ich bin ein Mensch'));
  expect(await page.evaluate<string>(STATUS)).toBe(ENGLISH.texts.idle);
});

test('what was announced in English is not announced again in a language that comes late', async () => {
  const { promise, resolve } = Promise.withResolvers<Response>();
  const page = await open({ lang: 'de', scriptHost: serveScript(() => promise) });
  await page.click(BUTTON);
  await page.until(isIn('verified'));
  expect(await page.evaluate<string | null>(LIVE)).toBeNull();
  resolve(Response.json(TABLE.de, { headers: FREE }));
  await page.until(says(textsIn('de').label));
  expect(await page.evaluate<string>(STATUS)).toBe(textsIn('de').verified);
  expect(await page.evaluate<string | null>(LIVE)).toBe('off');
  // From the next state on everything is announced.
  await page.evaluate("postern.reset(document.querySelector('.postern-captcha'))");
  expect(await page.evaluate<string>(STATUS)).toBe(textsIn('de').idle);
  expect(await page.evaluate<string | null>(LIVE)).toBeNull();
});

test('the texts of every language fit, in a narrow column too', async () => {
  const tags = Object.keys(TABLE);
  const page = await open({ widgets: tags.map((tag) => widget(`data-lang="${tag}"`)).join('\n') });
  await page.until(
    `[...document.querySelectorAll('.postern-captcha')].every((one) => one.dataset.lang === one.firstChild.lang)`,
  );
  for (const width of [800, 320]) {
    await page.cdp('Emulation.setDeviceMetricsOverride', {
      width,
      height: 600,
      deviceScaleFactor: 1,
      mobile: false,
    });
    const wrong = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.postern-captcha')].filter((one) =>
        ['.box', '.label', '.status'].some((part) => {
          const found = one.firstChild.shadowRoot.querySelector(part);
          return found.scrollWidth > found.clientWidth + 1 && found.clientWidth > 0 ||
            found.scrollHeight > found.clientHeight + 3 && part === '.box';
        })).map((one) => one.dataset.lang)`,
    );
    expect([width, wrong]).toEqual([width, []]);
  }
});
