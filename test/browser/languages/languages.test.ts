import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { widgetLanguages } from '../../../build/bundle.ts';
import { ENGLISH, type Texts } from '../../../src/widget/i18n.ts';
import { BROWSER } from '../../browsers.ts';
import type { Tab } from '../../support/browser.ts';
import { BOX, BUTTON, FIELD, isIn, published, STATUS, useBrowserCase, visit } from '../fixture.ts';

type Entry = { readonly dir: string; readonly texts: Texts };
const TABLE = JSON.parse(widgetLanguages()) as Readonly<Record<string, Entry>>;
const textsIn = (tag: string) => (TABLE[tag] as Entry).texts;

const HOST = "document.querySelector('.postern-captcha > div')";
const LABEL = `${HOST}?.shadowRoot.querySelector('#label').textContent`;
const LIVE = `${HOST}.shadowRoot.querySelector('#status').getAttribute('aria-live')`;
const isLabel = (text: string) => `${LABEL} === ${JSON.stringify(text)}`;

const { postern, serve } = useBrowserCase(import.meta.dir);
let script: string;
let tab: Tab | undefined;
const cleanUps: (() => unknown)[] = [];

beforeAll(async () => {
  script = await (await fetch(`${postern.url}/widget/postern.js`)).text();
});
afterEach(async () => {
  tab?.close();
  tab = undefined;
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

type Page = {
  readonly lang?: string;
  readonly dir?: string;
  readonly widgets?: string;
  readonly scriptHost?: string;
  /** The browser's languages. */
  readonly visitor?: readonly string[];
  /** Whether the page has an address that is not one of localhost. */
  readonly isPublished?: boolean;
};

const widget = (attributes = '') =>
  `<div class="postern-captcha" data-sitekey="${postern.sitekey}" data-puzzle-endpoint="${postern.url}/puzzle" ${attributes}></div>`;

async function open({
  lang = '',
  dir = '',
  widgets = widget(),
  scriptHost = postern.url,
  visitor = ['en-US'],
  isPublished = false,
}: Page): Promise<Tab> {
  const script = `${scriptHost}/widget/postern.js`;
  const website = await serve({ lang, dir, widgets: `-->${widgets}<!--`, script });
  tab = await visit(
    isPublished ? published(website) : website,
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
    ['that of the browser if the page has none', 'ja', { visitor: ['tlh', 'ja-JP', 'de'] }],
    ['that of the page before the browser’s', 'pt-BR', { lang: 'pt-BR', visitor: ['de'] }],
    ['the browser’s if the page’s is not available', 'zh-Hant', { lang: 'tlh', visitor: ['zh-HK'] }],
  ])('%s: %s', async (_, tag, page) => {
    const widgets = (page.widgets ?? '{}').replace('{}', widget());
    const opened = await open({ ...page, widgets });
    await opened.until(isLabel(textsIn(tag).label));
    expect(await opened.evaluate<string>(STATUS)).toBe(textsIn(tag).idle);
    expect(await opened.evaluate<string>(`${HOST}.lang`)).toBe(tag);
  });

  test('that of the attribute, regardless of the page and the browser', async () => {
    const page = await open({
      lang: 'de',
      visitor: ['fr'],
      widgets: widget('data-lang="pl-PL"'),
    });
    await page.until(isLabel(textsIn('pl').label));
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
      `shadowed.firstChild.shadowRoot.querySelector('#label').textContent === ${JSON.stringify(textsIn('sv').label)}`,
    );
  });

  test('English without a request for a page in English', async () => {
    const page = await open({ lang: 'en-GB', visitor: ['de'] });
    await page.click(BUTTON);
    await page.until(isIn('verified'));
    expect(await page.evaluate<string>(STATUS)).toBe(ENGLISH.texts.verified);
    expect(languageFiles(page)).toEqual([]);
  });
});

test('all widgets of a page share one file from the script’s host, requested without a referrer', async () => {
  const page = await open({ lang: 'de', widgets: widget() + widget() });
  await page.until(isLabel(textsIn('de').label));
  const files = languageFiles(page);
  expect(files.map(({ origin }) => origin)).toEqual([new URL(postern.url).origin]);
  const [request] = page.requests.filter(({ url }) => url.includes('/lang/'));
  expect(Object.keys(request?.headers ?? {}).map((name) => name.toLowerCase())).not.toContain('referer');
});

test('right-to-left languages are mirrored in a left-to-right page', async () => {
  const page = await open({ widgets: widget('data-lang="ar"') });
  const centerOf = (part: string) =>
    `(({ left, right }) => (left + right) / 2)(${HOST}.shadowRoot.querySelector('${part}').getBoundingClientRect())`;
  const centers = () => page.evaluate<number[]>(`[${['svg', '#label', '.brand'].map(centerOf).join(', ')}]`);
  await page.until(isLabel(textsIn('ar').label));
  expect(await page.evaluate<string>(`${HOST}.dir`)).toBe('rtl');
  const [icon = 0, label = 0, name = 0] = await centers();
  expect(icon).toBeGreaterThan(label);
  expect(label).toBeGreaterThan(name);
  await page.evaluate(`Object.assign(${HOST}.shadowRoot.querySelector('.bar'), { hidden: false })`);
  const rightOf = (part: string) =>
    page.evaluate<number>(`${HOST}.shadowRoot.querySelector('${part}').getBoundingClientRect().right`);
  expect(await rightOf('.fill')).toBe(await rightOf('.bar'));
  expect(await page.evaluate<string>(`getComputedStyle(${BOX}).textAlign`)).toBe('start');
});

test('left-to-right languages are not mirrored in a right-to-left page', async () => {
  const page = await open({ lang: 'ar', dir: 'rtl', widgets: widget('data-lang="de"') });
  await page.until(isLabel(textsIn('de').label));
  const isIconLeft = `${HOST}.shadowRoot.querySelector('svg').getBoundingClientRect().right <=
    ${HOST}.shadowRoot.querySelector('#label').getBoundingClientRect().left`;
  expect(await page.evaluate<boolean>(isIconLeft)).toBe(true);
});

test('problems that visitors cannot solve have one message in the language of the widget', async () => {
  const page = await open({
    widgets: widget('data-lang="he"').replace(postern.sitekey, postern.foreignSitekey),
    isPublished: true,
  });
  await page.until(isLabel(textsIn('he').label));
  await page.click(BUTTON);
  await page.until(isIn('failed'));
  expect(await page.evaluate<string>(STATUS)).toBe(textsIn('he').unavailable as string);
});

/** Serves the script, and this response for language files. */
function serveScript(languageFile: () => Response | Promise<Response>): string {
  const server = Bun.serve({
    port: 0,
    fetch: ({ url }) => (url.includes('/lang/') ? languageFile() : new Response(script, SCRIPT)),
  });
  cleanUps.push(() => server.stop(true));
  return `http://localhost:${server.port}`;
}

const SCRIPT = { headers: { 'Content-Type': 'text/javascript' } };
const CORS = { 'Access-Control-Allow-Origin': '*' };

describe('the widget remains in English if the language file', () => {
  test.each<[string, () => Response | Promise<Response>]>([
    ['does not exist', () => new Response('', { status: 404 })],
    ['does not exist, with CORS headers', () => new Response('{}', { status: 404, headers: CORS })],
    ['has no CORS headers', () => Response.json(TABLE.de)],
    ['is not JSON', () => new Response('<!doctype html>', { headers: CORS })],
    ['is other JSON', () => Response.json(null, { headers: CORS })],
    ['is never sent', () => new Promise<Response>(() => {})],
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

test('texts that an older language file lacks are English', async () => {
  const old = { tag: 'de', dir: 'ltr', texts: { label: 'Ich bin ein Mensch' } };
  const page = await open({
    lang: 'de',
    scriptHost: serveScript(() => Response.json(old, { headers: CORS })),
  });
  await page.until(isLabel('Ich bin ein Mensch'));
  expect(await page.evaluate<string>(STATUS)).toBe(ENGLISH.texts.idle);
});

test('a status announced in English is not announced again after the language is loaded', async () => {
  const { promise, resolve } = Promise.withResolvers<Response>();
  const page = await open({ lang: 'de', scriptHost: serveScript(() => promise) });
  await page.click(BUTTON);
  await page.until(isIn('verified'));
  expect(await page.evaluate<string | null>(LIVE)).toBe('polite');
  resolve(Response.json({ tag: 'de', ...TABLE.de }, { headers: CORS }));
  await page.until(isLabel(textsIn('de').label));
  expect(await page.evaluate<string>(STATUS)).toBe(textsIn('de').verified);
  expect(await page.evaluate<string | null>(LIVE)).toBe('off');
  // The next status is announced.
  await page.evaluate("postern.reset(document.querySelector('.postern-captcha'))");
  expect(await page.evaluate<string>(STATUS)).toBe(textsIn('de').idle);
  expect(await page.evaluate<string | null>(LIVE)).toBe('polite');
});

/** Languages whose words are not separated by spaces. */
const WITHOUT_SPACES = ['ja', 'th', 'zh', 'zh-Hant'];

/** Shows every text of every language, and returns the words that are on more than one line, whether they would fit on one, and the characters on each line. */
const BROKEN_WORDS = `[...document.querySelectorAll('.postern-captcha')].flatMap((one) => {
  const found = [];
  const fits = (element, word) => {
    const span = document.createElement('span');
    span.style.cssText = 'position: absolute; white-space: nowrap';
    span.textContent = word;
    element.append(span);
    const { width } = span.getBoundingClientRect();
    span.remove();
    return width <= element.clientWidth;
  };
  for (const part of ['#label', '#status', 'a']) {
    const element = one.firstChild.shadowRoot.querySelector(part);
    for (const text of part === '#status' ? [...texts[one.dataset.lang], ''] : [element.textContent]) {
      const before = element.textContent;
      element.textContent = text;
      const node = element.firstChild;
      for (const { 0: word, index } of text.matchAll(/[^\\s-]+/g)) {
        const lines = new Map();
        for (let i = 0; i < word.length; i++) {
          const range = document.createRange();
          range.setStart(node, index + i);
          range.setEnd(node, index + i + 1);
          // Combining characters have no width. After a hyphen, WebKit adds an empty rectangle at the end of the previous line.
          const box = [...range.getClientRects()].find(({ width }) => width > 0);
          if (box) lines.set(Math.round(box.top / 6), (lines.get(Math.round(box.top / 6)) ?? 0) + 1);
        }
        if (lines.size > 1) found.push([one.dataset.lang, word, fits(element, word), ...lines.values()]);
      }
      element.textContent = before;
    }
  }
  return found;
})`;

test('the texts of every language fit, even in a narrow column, and only words that are wider than the widget are broken', async () => {
  const tags = Object.keys(TABLE);
  const page = await open({
    widgets: tags
      .map((tag) => widget(`data-lang="${tag}" data-privacy-url="https://example.com/"`))
      .join('\n'),
  });
  await page.until(
    `[...document.querySelectorAll('.postern-captcha')].every((one) => one.dataset.lang === one.firstChild.lang)`,
  );
  await page.evaluate(
    `void (window.texts = ${JSON.stringify(Object.fromEntries(tags.map((tag) => [tag, Object.values(textsIn(tag))])))})`,
  );
  // Some browsers have dictionaries, with which they also hyphenate words that fit.
  await page.evaluate(`document.querySelectorAll('.postern-captcha').forEach((one) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('.box { hyphens: manual !important }');
    one.firstChild.shadowRoot.adoptedStyleSheets.push(sheet);
  })`);
  for (const width of [320, 240, 120]) {
    await page.evaluate(
      `document.querySelectorAll('.postern-captcha').forEach((one) => { one.style.width = '${width}px'; })`,
    );
    const wrong = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.postern-captcha')].filter((one) =>
        ['.box', '#label', '#status', 'a'].some((part) => {
          const found = one.firstChild.shadowRoot.querySelector(part);
          return found.scrollWidth > found.clientWidth + 1 && found.clientWidth > 0 ||
            found.scrollHeight > found.clientHeight + 3 && part === '.box';
        })).map((one) => one.dataset.lang)`,
    );
    expect([width, wrong]).toEqual([width, []]);
    const broken = await page.evaluate<[string, string, boolean, number, ...number[]][]>(BROKEN_WORDS);
    const words = broken.filter(([tag]) => !WITHOUT_SPACES.includes(tag));
    expect([width, words.filter(([, , mayFit]) => mayFit)]).toEqual([width, []]);
    // Other browsers choose other fonts. At 120 pixels, a line has room for at least six of the widest letters.
    if (BROWSER === 'chromium') {
      if (width > 160) expect([width, words]).toEqual([width, []]);
      const short = words.filter(([, , , first, ...rest]) => first < 6 || rest.length > 2);
      expect([width, short]).toEqual([width, []]);
    }
    if (width === 120) process.stdout.write(`words broken at 120 pixels: ${words.length}\n`);
  }
});
