import { afterEach, describe, expect, test } from 'bun:test';
import { openTab, type Tab } from '../../support/browser.ts';
import {
  COUNT_WORKERS,
  FIELD,
  fastClock,
  isIn,
  puzzleRequests,
  type TestPostern,
  useBrowserCase,
  usePostern,
} from '../fixture.ts';

const { postern, serve } = useBrowserCase(import.meta.dir);
const slow = usePostern({ level: 250 });
const shortLived = usePostern({ validitySeconds: 60 });
let tab: Tab | undefined;
afterEach(() => {
  tab?.close();
  tab = undefined;
});

type Page = {
  readonly body: string;
  readonly style?: string;
  readonly head?: string;
  readonly query?: string;
};

/** @param page in its body, `<widget` is replaced by the start tag of a widget without the closing bracket */
async function open(server: TestPostern, page: Page, prelude = ''): Promise<Tab> {
  const widget = `<div class="postern-captcha" data-sitekey="${server.sitekey}"`;
  const head = `<style>${page.style ?? ''}</style>${page.head ?? ''}`;
  const body = page.body.replaceAll('<widget', widget);
  const script = `${server.url}/widget/postern.js${page.query ?? ''}`;
  const website = await serve({ head, body, script });
  tab = await openTab();
  await tab.preload(`${COUNT_WORKERS};${prelude}`);
  await tab.goto(website.url);
  await tab.until('window.postern?.autoWidget !== undefined');
  return tab;
}

const W = 'postern.autoWidget';
const pause = (milliseconds: number) => `new Promise((resolve) => setTimeout(resolve, ${milliseconds}))`;

describe('a removed element', () => {
  test('requests no puzzle, regardless of calls', async () => {
    const body = '<form><widget data-start-mode="load"></div></form>';
    const page = await open(shortLived, { body }, fastClock(50));
    await page.until(isIn('verified'));
    await page.evaluate(`void (window.w = ${W}, document.querySelector('form').remove())`);
    await page.until(`${W} === undefined`);
    const before = puzzleRequests(page);
    await page.evaluate('(w.reset(), w.execute())');
    await page.evaluate(pause(100_000));
    expect([puzzleRequests(page), await page.evaluate<string>('w.state()')]).toEqual([before, 'idle']);
  });

  test('in a shadow root works again after its host is added, and stops after the host is removed', async () => {
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

  test('that was emptied is restored by render', async () => {
    const page = await open(postern, { body: '<form><widget></div></form>' });
    await page.evaluate(`(() => {
      const element = ${W}.element();
      element.innerHTML = '';
      postern.render(element).execute();
    })()`);
    await page.until(`${FIELD} !== ''`);
  });
});

test('changes elsewhere on the page cause no changes to a widget', async () => {
  const head = `<script>
    window.records = 0;
    new MutationObserver((all) => { records += all.length; }).observe(document, { attributes: true, subtree: true });
  </script>`;
  const page = await open(postern, { head, body: '<form><widget></div></form><p id="text"></p>' });
  await page.evaluate(pause(50));
  const before = await page.evaluate<number>('records');
  await page.evaluate("void document.querySelector('#text').append('a', 'b')");
  await page.evaluate(pause(50));
  expect(await page.evaluate<number>('records')).toBe(before);
});

test.each(['reset', 'execute'])(
  'a page that calls %s() after every error remains responsive',
  async (call) => {
    const head = `<script>
    window.errors = 0;
    window.ticks = 0;
    window.startedAt = performance.now();
    setInterval(() => { ticks += 1; }, 1);
    document.addEventListener('postern:error', ({ detail }) => { errors += 1; detail.widget.${call}(); });
  </script>`;
    const body = '<form><div class="postern-captcha" data-start-mode="load"></div></form>';
    const page = await open(postern, { head, body });
    await page.until('errors > 2 && ticks > 20');
    // Every error comes after a pause of 100 ms.
    const interval = await page.evaluate<number>('(performance.now() - startedAt) / errors');
    expect(interval).toBeGreaterThan(90);
  },
);

test.each([
  ['hidden', ''],
  ['hidden', 'data-styles="display: flex"'],
  ['popup', 'data-styles="display: block"'],
])('the page’s styles cannot show a widget in mode %s (%s)', async (mode, styles) => {
  const body = `<form><widget data-display-mode="${mode}" ${styles}></div></form>`;
  const page = await open(postern, { style: 'form div { display: grid }', body });
  expect(await page.evaluate<number>(`${W}.element().firstElementChild.getClientRects().length`)).toBe(0);
});

test('a popup is in the corner of the window, even inside transformed and clipping ancestors', async () => {
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

test('an element with the name currentScript is not mistaken for the script', async () => {
  const head = '<img name="currentScript" src="/other?onload=injected" alt="">';
  const page = await open(
    postern,
    { head, body: '<form><widget></div></form>' },
    'window.injected = () => { window.wasCalled = true; }',
  );
  await page.evaluate(`${W}.execute()`);
  await page.until(isIn('verified'));
  expect(await page.evaluate<boolean>('window.wasCalled === true')).toBe(false);
});

describe('other kinds of hidden ancestors', () => {
  const panel = "document.querySelector('#panel')";
  test.each([
    ['an inline form', 'form { display: inline }'],
    ['a form with display: contents', 'form { display: contents }'],
  ])('the check of %s waits until it is shown, and stops when it is hidden', async (_, style) => {
    const body = '<div id="panel" hidden><form><widget data-start-mode="load"></div></form></div>';
    const page = await open(slow, { style, body });
    expect(await page.evaluate<string>(`${W}.state()`)).toBe('idle');
    await page.evaluate(`void (${panel}.hidden = false)`);
    await page.until(isIn('solving'));
    await page.evaluate(`void (${panel}.hidden = true)`);
    await page.until(`${isIn('idle')} && openWorkers === 0`);
  });

  test('the check in closed details waits until they are open', async () => {
    const body =
      '<details id="panel"><summary>More</summary><form><widget data-start-mode="load"></div></form></details>';
    const page = await open(postern, { body });
    await page.evaluate(pause(100));
    expect(puzzleRequests(page)).toBe(0);
    await page.evaluate(`void (${panel}.open = true)`);
    await page.until(isIn('verified'));
  });
});

test('the focus of a field that belongs to the form but is outside it starts the check', async () => {
  const page = await open(postern, { body: '<input id="far" form="f"><form id="f"><widget></div></form>' });
  await page.click("document.querySelector('#far')");
  await page.until(isIn('verified'));
});

test('a canceled reset has no effect; another one clears the field', async () => {
  const page = await open(postern, { body: '<form><widget></div></form>' });
  await page.evaluate(`${W}.execute()`);
  await page.until(isIn('verified'));
  await page.evaluate(`(() => {
    window.cancelReset = (event) => event.preventDefault();
    window.addEventListener('reset', cancelReset);
    document.querySelector('form').reset();
  })()`);
  await page.evaluate(pause(50));
  expect(await page.evaluate<string>(`${W}.state()`)).toBe('verified');
  await page.evaluate(
    "(window.removeEventListener('reset', cancelReset), document.querySelector('form').reset())",
  );
  await page.until(isIn('idle'));
});

test('the language that was set last is shown, regardless of the order in which files are loaded', async () => {
  const prelude = `{
    const originalFetch = window.fetch;
    window.fetch = async (url, init) => {
      if (String(url).includes('/lang/de')) await new Promise((resolve) => { window.release = resolve; });
      return originalFetch(url, init);
    };
  }`;
  const page = await open(postern, { body: '<form><widget data-lang="de"></div></form>' }, prelude);
  await page.evaluate(`${W}.reset({ lang: 'fr' })`);
  const shownLanguage = `${W}.element().firstElementChild.lang`;
  await page.until(`${shownLanguage} === 'fr'`);
  await page.evaluate('release()');
  await page.evaluate(pause(100));
  expect(await page.evaluate<string>(shownLanguage)).toBe('fr');
});

test('a reset applies the language of the page', async () => {
  const page = await open(postern, { body: '<form><widget></div></form>' });
  await page.evaluate(`(document.documentElement.lang = 'de', ${W}.reset())`);
  await page.until(`${W}.element().firstElementChild.lang === 'de'`);
});

test('onload calls a function of a later script, and again if the script is loaded twice', async () => {
  const late = 'data:text/javascript,window.onReady=()=>{window.count=(window.count??0)+1}';
  const page = await open(postern, {
    query: '?onload=onReady',
    body: `<form><widget></div></form><script src="${late}" defer></script>`,
  });
  await page.until('window.count === 1');
  await page.evaluate(`void document.body.append(Object.assign(document.createElement('script'),
    { src: document.querySelector('script[src*="/widget/"]').src + '&again' }))`);
  await page.until('window.count === 2');
});

test('null, null values, and events are ignored as options', async () => {
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

test('setting the device clock back does not extend the validity of a solution', async () => {
  const prelude = `{
    const originalNow = performance.now.bind(performance);
    performance.now = () => originalNow() * 50;
    window.setBackMs = 0;
    const clock = Date.now;
    Date.now = () => clock() - setBackMs;
    window.resets = 0;
    document.addEventListener('postern:reset', () => { resets += 1; });
  }`;
  const page = await open(shortLived, { body: '<form><widget></div></form>' }, `${fastClock(50)};${prelude}`);
  await page.evaluate(`${W}.execute()`);
  await page.until(isIn('verified'));
  await page.evaluate('void (window.setBackMs = 3_600_000)');
  await page.until('resets > 0');
});

test('a script that a module imports after 250 other files finds its host', async () => {
  const body = `<form><widget></div></form>`;
  const website = await serve({
    head: '',
    body: body.replaceAll('<widget', `<div class="postern-captcha" data-sitekey="${postern.sitekey}"`),
    script: 'none.js',
  });
  tab = await openTab();
  await tab.goto(website.url);
  // Browsers record 250 files by default.
  await tab.evaluate(`(async () => {
    performance.setResourceTimingBufferSize(1);
    await fetch('/?first');
    await import('${postern.url}/widget/postern.js');
  })()`);
  await tab.evaluate(`${W}.execute()`);
  await tab.until(isIn('verified'));
});

test.each(['div:empty', '*:empty', 'form :empty:not(input)'])(
  'the style %s { display: none } does not hide a widget',
  async (selector) => {
    const page = await open(postern, {
      style: `${selector} { display: none }`,
      body: '<form><widget></div></form>',
    });
    expect(await page.evaluate<number>(`${W}.element().firstElementChild.getClientRects().length`)).toBe(1);
  },
);
