import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { openTab, type Tab } from '../../support/browser.ts';
import {
  CASE_TIMEOUT_MS,
  COUNT_WORKERS,
  FIELD,
  fastClock,
  isIn,
  puzzlesAsked,
  type Site,
  serveSite,
  startPostern,
  type TestPostern,
} from '../fixture.ts';

setDefaultTimeout(CASE_TIMEOUT_MS);

let postern: TestPostern;
let slow: TestPostern;
let shortLived: TestPostern;
const sites: Site[] = [];
let tab: Tab | undefined;
beforeAll(async () => {
  postern = await startPostern();
  slow = await startPostern({ level: 250 });
  shortLived = await startPostern({ validitySeconds: 60 });
});
afterEach(() => {
  tab?.close();
  tab = undefined;
});
afterAll(async () => {
  for (const site of sites) await site.stop();
  for (const one of [postern, slow, shortLived]) await one.stop();
});

type Page = {
  readonly body: string;
  readonly style?: string;
  readonly head?: string;
  readonly query?: string;
};

/** @param page of its body, {{widget}} is a widget's attributes without the closing bracket */
async function open(of: TestPostern, page: Page, prelude = ''): Promise<Tab> {
  const widget = `<div class="postern-captcha" data-sitekey="${of.sitekey}"`;
  const head = `<style>${page.style ?? ''}</style>${page.head ?? ''}`;
  const given = { head, body: page.body.replaceAll('<widget', widget) };
  const script = `${of.url}/widget/postern.js${page.query ?? ''}`;
  const site = await serveSite(import.meta.dir, { ...given, script });
  sites.push(site);
  tab = await openTab();
  await tab.cdp('Page.enable');
  await tab.cdp('Page.addScriptToEvaluateOnNewDocument', { source: `${COUNT_WORKERS};${prelude}` });
  await tab.goto(site.url);
  await tab.until('window.postern?.autoWidget !== undefined');
  return tab;
}

const W = 'postern.autoWidget';
const moments = (milliseconds: number) => `new Promise((resolve) => setTimeout(resolve, ${milliseconds}))`;

describe('an element that has left the page', () => {
  test('asks for no puzzle, whatever is called', async () => {
    const body = '<form><widget data-start-mode="load"></div></form>';
    const page = await open(shortLived, { body }, fastClock(50));
    await page.until(isIn('verified'));
    await page.evaluate(`void (window.w = ${W}, document.querySelector('form').remove())`);
    await page.until(`${W} === undefined`);
    const asked = puzzlesAsked(page);
    await page.evaluate('(w.reset(), w.execute())');
    await page.evaluate(moments(100_000));
    expect([puzzlesAsked(page), await page.evaluate<string>('w.state()')]).toEqual([asked, 'idle']);
  });

  test('in a shadow root is woken when its host comes back, and stopped when it goes again', async () => {
    const body = '<div id="host"></div><widget hidden></div>';
    const page = await open(slow, { body });
    await page.evaluate(`(() => {
      window.host = document.querySelector('#host');
      const form = host.attachShadow({ mode: 'closed' }).appendChild(document.createElement('form'));
      window.input = form.appendChild(document.createElement('input'));
      window.w = postern.render(form.appendChild(document.createElement('div')), { sitekey: '${slow.sitekey}' });
      host.remove();
    })()`);
    await page.evaluate('document.body.append(host)');
    await page.evaluate('input.focus()');
    await page.until("w.state() === 'solving' && openWorkers > 0");
    await page.evaluate('host.remove()');
    await page.until("w.state() === 'idle' && openWorkers === 0");
  });

  test('that was emptied is filled again by render', async () => {
    const page = await open(postern, { body: '<form><widget></div></form>' });
    await page.evaluate(`(() => {
      const element = ${W}.element();
      element.innerHTML = '';
      postern.render(element).execute();
    })()`);
    await page.until(`${FIELD} !== ''`);
  });
});

test('what the page changes elsewhere writes nothing to a widget', async () => {
  const head = `<script>
    window.records = 0;
    new MutationObserver((all) => { records += all.length; }).observe(document, { attributes: true, subtree: true });
  </script>`;
  const page = await open(postern, { head, body: '<form><widget></div></form><p id="text"></p>' });
  await page.evaluate(moments(50));
  const before = await page.evaluate<number>('records');
  await page.evaluate("void document.querySelector('#text').append('a', 'b')");
  await page.evaluate(moments(50));
  expect(await page.evaluate<number>('records')).toBe(before);
});

test.each(['reset', 'execute'])('a page that calls %s() at every error stays alive', async (call) => {
  const head = `<script>
    window.errors = 0;
    window.ticks = 0;
    setInterval(() => { ticks += 1; }, 1);
    document.addEventListener('postern:error', ({ detail }) => { errors += 1; detail.widget.${call}(); });
  </script>`;
  const body = '<form><div class="postern-captcha" data-start-mode="load"></div></form>';
  const page = await open(postern, { head, body });
  await page.until('errors > 0');
  await page.evaluate(moments(500));
  expect(await page.evaluate<number>('errors')).toBeLessThan(10);
  expect(await page.evaluate<number>('ticks')).toBeGreaterThan(20);
});

test.each([
  ['hidden', ''],
  ['hidden', 'data-styles="display: flex"'],
  ['popup', 'data-styles="display: block"'],
])('no style of the page shows a widget in mode %s (%s)', async (mode, styles) => {
  const body = `<form><widget data-display-mode="${mode}" ${styles}></div></form>`;
  const page = await open(postern, { style: 'form div { display: grid }', body });
  expect(await page.evaluate<number>(`${W}.element().firstElementChild.getClientRects().length`)).toBe(0);
});

test('a popup is in the corner of the window, inside transformed and clipped surroundings too', async () => {
  const body =
    '<main><form><widget data-display-mode="popup"></div></form></main><p style="height:2000px"></p>';
  const style = 'main { transform: translateZ(0); overflow: hidden; height: 50px }';
  const page = await open(slow, { style, body });
  await page.evaluate(`${W}.execute()`);
  await page.until(isIn('solving'));
  const gap = await page.evaluate<number>(
    `innerHeight - ${W}.element().firstElementChild.getBoundingClientRect().bottom`,
  );
  expect(gap).toBeGreaterThan(8);
  expect(gap).toBeLessThan(40);
});

test('an element named currentScript is not taken for the script', async () => {
  const head = '<img name="currentScript" src="/elsewhere?onload=victim" alt="">';
  const page = await open(
    postern,
    { head, body: '<form><widget></div></form>' },
    'window.victim = () => { window.hit = true; }',
  );
  await page.evaluate(`${W}.execute()`);
  await page.until(isIn('verified'));
  expect(await page.evaluate<boolean>('window.hit === true')).toBe(false);
});

describe('hidden surroundings of other kinds', () => {
  const show = "document.querySelector('#panel')";
  test.each([
    ['an inline form', 'form { display: inline }'],
    ['a form without a box', 'form { display: contents }'],
  ])('%s is waited for, and stopped', async (_, style) => {
    const body = '<div id="panel" hidden><form><widget data-start-mode="load"></div></form></div>';
    const page = await open(slow, { style, body });
    expect(await page.evaluate<string>(`${W}.state()`)).toBe('idle');
    await page.evaluate(`void (${show}.hidden = false)`);
    await page.until(isIn('solving'));
    await page.evaluate(`void (${show}.hidden = true)`);
    await page.until(`${isIn('idle')} && openWorkers === 0`);
  });

  test('closed details are waited for', async () => {
    const body =
      '<details id="panel"><summary>More</summary><form><widget data-start-mode="load"></div></form></details>';
    const page = await open(postern, { body });
    await page.evaluate(moments(100));
    expect(puzzlesAsked(page)).toBe(0);
    await page.evaluate(`void (${show}.open = true)`);
    await page.until(isIn('verified'));
  });
});

test('a field that belongs to the form from elsewhere starts the check', async () => {
  const page = await open(postern, { body: '<input id="far" form="f"><form id="f"><widget></div></form>' });
  await page.click("document.querySelector('#far')");
  await page.until(isIn('verified'));
});

test('a cancelled reset changes nothing; one that holds empties the field', async () => {
  const page = await open(postern, { body: '<form><widget></div></form>' });
  await page.evaluate(`${W}.execute()`);
  await page.until(isIn('verified'));
  await page.evaluate(`(() => {
    window.refuse = (event) => event.preventDefault();
    window.addEventListener('reset', refuse);
    document.querySelector('form').reset();
  })()`);
  await page.evaluate(moments(50));
  expect(await page.evaluate<string>(`${W}.state()`)).toBe('verified');
  await page.evaluate(
    "(window.removeEventListener('reset', refuse), document.querySelector('form').reset())",
  );
  await page.until(isIn('idle'));
});

test('the language that was chosen last is spoken, in whatever order the files come', async () => {
  const prelude = `{
    const plain = window.fetch;
    window.fetch = async (url, init) => {
      if (String(url).includes('/lang/de')) await new Promise((resolve) => { window.release = resolve; });
      return plain(url, init);
    };
  }`;
  const page = await open(postern, { body: '<form><widget data-lang="de"></div></form>' }, prelude);
  await page.evaluate(`${W}.reset({ lang: 'fr' })`);
  const spoken = `${W}.element().firstElementChild.lang`;
  await page.until(`${spoken} === 'fr'`);
  await page.evaluate('release()');
  await page.evaluate(moments(100));
  expect(await page.evaluate<string>(spoken)).toBe('fr');
});

test('a reset follows the language of the page', async () => {
  const page = await open(postern, { body: '<form><widget></div></form>' });
  await page.evaluate(`(document.documentElement.lang = 'de', ${W}.reset())`);
  await page.until(`${W}.element().firstElementChild.lang === 'de'`);
});

test('onload calls a function of a script that comes later, and one of a script that is loaded twice', async () => {
  const late = 'data:text/javascript,window.begun=()=>{window.count=(window.count??0)+1}';
  const page = await open(postern, {
    query: '?onload=begun',
    body: `<form><widget></div></form><script src="${late}" defer></script>`,
  });
  await page.until('window.count === 1');
  await page.evaluate(`void document.body.append(Object.assign(document.createElement('script'),
    { src: document.querySelector('script[src*="/widget/"]').src + '&again' }))`);
  await page.until('window.count === 2');
});

test('nothing, nulls and events are no options', async () => {
  const page = await open(postern, { body: '<form><widget data-theme="dark"></div></form>' });
  await page.evaluate(`(() => {
    ${W}.reset(null);
    ${W}.reset({ theme: null });
    const button = document.createElement('button');
    button.addEventListener('click', ${W}.reset);
    button.click();
  })()`);
  expect(await page.evaluate<unknown>(`({ ...${W}.element().dataset })`)).toEqual({
    sitekey: postern.sitekey,
    theme: 'dark',
    postern: '',
  });
});

test('a device clock that is set back keeps no solution for longer', async () => {
  const prelude = `{
    const steady = performance.now.bind(performance);
    performance.now = () => steady() * 50;
    window.back = 0;
    const later = Date.now;
    Date.now = () => later() - back;
    window.resets = 0;
    document.addEventListener('postern:reset', () => { resets += 1; });
  }`;
  const page = await open(shortLived, { body: '<form><widget></div></form>' }, `${fastClock(50)};${prelude}`);
  await page.evaluate(`${W}.execute()`);
  await page.until(isIn('verified'));
  await page.evaluate('void (window.back = 3_600_000)');
  await page.until('resets > 0');
});
