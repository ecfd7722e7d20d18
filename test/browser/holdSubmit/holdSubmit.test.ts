import { afterEach, describe, expect, test } from 'bun:test';
import { openTab, type Tab } from '../../support/browser.ts';
import {
  FIELD,
  fastClock,
  isIn,
  puzzleRequests,
  useBrowserCase,
  usePostern,
  type Website,
} from '../fixture.ts';

/** The widget holds a form's submission until its check is done. */

const { postern, serve } = useBrowserCase(import.meta.dir);
const slow = usePostern({ level: 250, validitySeconds: 60 });
let tab: Tab | undefined;
afterEach(() => {
  tab?.close();
  tab = undefined;
});

type Opened = { readonly page: Tab; readonly website: Website };

const FIELDS =
  '<input name="text" value="x"><button name="via" value="first">A</button><button name="via" value="second">B</button>';

async function open(attributes: string, script = '', server = postern): Promise<Opened> {
  const widget = `<div class="postern-captcha" data-sitekey="${server.sitekey}" ${attributes}></div>`;
  return openPage(
    '',
    `<form method="post" action="/">${FIELDS}${widget}</form><script>${script}</script>`,
    server,
  );
}

/** @param early a script that runs before the widget's */
async function openPage(early: string, body: string, server = postern): Promise<Opened> {
  const head = `<script>${early}</script><script src="${server.url}/widget/postern.js"></script>`;
  const website = await serve({ head, body });
  tab = await openTab();
  await tab.goto(website.url);
  await tab.until('window.postern?.autoWidget !== undefined');
  return { page: tab, website };
}

const received = "document.title === 'received'";
const clickSecond = "document.querySelectorAll('button')[1].click()";

test('a form that is submitted before the check is sent once, with the solution and the same button', async () => {
  const { page, website } = await open('data-start-mode="click"');
  await page.evaluate(clickSecond);
  await page.until(received);
  const sent = website.submissions.map((form) => [form.get('via'), form.get('text')]);
  expect(sent).toEqual([['second', 'x']]);
  const solution = website.submissions[0]?.get('postern-captcha-solution') ?? '';
  expect(await postern.verify(solution)).toMatchObject({ success: true, code: 0 });
});

test('Enter in a field submits the form after the check', async () => {
  const { page, website } = await open('');
  await page.click("document.querySelector('input')");
  await page.press('Enter');
  await page.until(received);
  expect(website.submissions.map((form) => form.get('via'))).toEqual(['first']);
});

test('a form is submitted after the check of a new puzzle if the first one expires', async () => {
  const script = `document.addEventListener('postern:reset', ({ target }) => Object.assign(target.dataset, {
    sitekey: '${postern.sitekey}', puzzleEndpoint: '${postern.url}/puzzle' }));`;
  const { page, website } = await open('', script, slow);
  await page.evaluate(`void (() => ${fastClock(50)})()`);
  await page.evaluate(clickSecond);
  await page.until(received);
  const solution = website.submissions[0]?.get('postern-captcha-solution') ?? '';
  expect(await postern.verify(solution)).toMatchObject({ success: true, code: 0 });
});

test('other listeners receive the submit event only after the check', async () => {
  const script = `window.seen = [];
    document.forms[0].addEventListener('submit', (event) => { event.preventDefault(); seen.push(${FIELD} !== ''); });`;
  const { page } = await open('', script);
  await page.evaluate(clickSecond);
  await page.until('seen.length > 0');
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 200))');
  expect(await page.evaluate<boolean[]>('seen')).toEqual([true]);
});

test('a form that a callback has read is not submitted', async () => {
  const script = `window.read = 0; window.seen = 0;
    document.forms[0].addEventListener('submit', () => { seen += 1; });
    document.addEventListener('postern:finish', () => { read += new FormData(document.forms[0]).has('text'); });`;
  const { page } = await open('', script);
  await page.evaluate(clickSecond);
  await page.until('read === 1');
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 200))');
  expect(await page.evaluate<number>('seen')).toBe(0);
});

test('a form that a callback has submitted is sent once', async () => {
  const script = 'window.send = () => document.forms[0].submit();';
  const { page, website } = await open('data-finished-callback="send"', script);
  await page.evaluate(clickSecond);
  await page.until(received);
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 200))');
  expect(website.submissions.map((form) => form.get('text'))).toEqual(['x']);
});

test('after a failed check, the form is submitted without a solution', async () => {
  const { page, website } = await open('', '', { ...postern, sitekey: postern.foreignSitekey });
  await page.evaluate(clickSecond);
  await page.until(received);
  expect(website.submissions.map((form) => form.get('postern-captcha-solution'))).toEqual(['']);
});

test('a reset cancels the held submission', async () => {
  const { page, website } = await open('data-start-mode="click"', '', slow);
  await page.evaluate(clickSecond);
  await page.until(isIn('solving'));
  await page.evaluate('postern.autoWidget.reset()');
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 200))');
  expect([website.submissions.length, await page.evaluate<boolean>(isIn('idle'))]).toEqual([0, true]);
});

test('data-hold-submit="false" lets the form be submitted immediately', async () => {
  const { page, website } = await open('data-hold-submit="false" data-start-mode="click"');
  await page.evaluate(clickSecond);
  await page.until(received);
  expect(website.submissions.map((form) => form.get('postern-captcha-solution'))).toEqual(['']);
  expect(puzzleRequests(page)).toBe(0);
});

test('forms without a widget, and invalid forms, are not affected', async () => {
  const { page, website } = await open('');
  await page.evaluate("void Object.assign(document.querySelector('input'), { required: true, value: '' })");
  await page.evaluate(clickSecond);
  expect(website.submissions).toEqual([]);
  await page.evaluate(`(() => {
    const other = document.createElement('form');
    other.method = 'post';
    other.innerHTML = '<input name="other" value="1"><button>C</button>';
    document.body.append(other);
    other.querySelector('button').click();
  })()`);
  await page.until(received);
  expect(website.submissions.map((form) => form.get('other'))).toEqual(['1']);
});

describe('a held submission is like the one that the visitor started', () => {
  const widget = () => `<div class="postern-captcha" data-sitekey="${postern.sitekey}"></div>`;
  const openForm = (early: string) =>
    openPage(early, `<form method="post" action="/">${FIELDS}${widget()}</form>`);
  const settled = 'new Promise((resolve) => setTimeout(resolve, 200))';
  const sent = (website: Website) =>
    website.submissions.map((form) => [form.get('via'), form.get('postern-captcha-solution') !== '']);
  const noRequestSubmit = 'delete HTMLFormElement.prototype.requestSubmit;';

  test.each([
    ['disables', 'this.disabled = true'],
    ['removes', 'this.remove()'],
    ['renames', "this.name = 'other'; this.value = ''; this.disabled = true"],
  ])('if a script %s the button right after the click', async (_, change) => {
    const buttons = `<button name="via" value="first">A</button><button name="via" value="second" formaction="/?action"
      formnovalidate onclick="setTimeout(() => { ${change} })">B</button>`;
    const form = `<form action="/wrong" method="post"><input name="via-not" required>${buttons}${widget()}</form>`;
    const { page, website } = await openPage('', form);
    await page.evaluate(clickSecond);
    await page.until(`${received} && location.search === '?action'`);
    expect(sent(website)).toEqual([['second', true]]);
  });

  test.each([
    ['with requestSubmit', ''],
    ['without requestSubmit', noRequestSubmit],
  ])('if a listener sends the form, %s', async (_, early) => {
    const script = `window.seen = [];
      document.forms[0].addEventListener('submit', (event) => {
        event.preventDefault();
        const data = new FormData(event.target);
        seen.push(event.submitter?.value + ' ' + (data.get('postern-captcha-solution') !== ''));
      });`;
    const { page, website } = await openPage(
      early,
      `<form method="post" action="/">${FIELDS}${widget()}</form><script>${script}</script>`,
    );
    await page.evaluate(clickSecond);
    await page.until('seen.length > 0');
    await page.evaluate(settled);
    expect(await page.evaluate<string[]>('seen')).toEqual(['second true']);
    expect([
      sent(website),
      await page.evaluate<number>("document.querySelectorAll('button').length"),
    ]).toEqual([[], 2]);
  });

  test('if the browser has no requestSubmit, and an input has the focus', async () => {
    const { page, website } = await openPage(
      noRequestSubmit,
      `<form method="post" action="/"><input name="text" required value="x">${widget()}</form>`,
    );
    await page.click("document.querySelector('input')");
    await page.evaluate('postern.autoWidget.reset()');
    await page.press('Enter');
    await page.until(received);
    expect(sent(website)).toEqual([[null, true]]);
  });

  const GUARD = `let wasSent = false;
    window.addEventListener('submit', (event) => {
      if (wasSent) { event.preventDefault(); event.stopImmediatePropagation(); }
      wasSent = true;
    }, true);`;
  test.each([
    ['with requestSubmit', GUARD],
    ['without requestSubmit', GUARD + noRequestSubmit],
  ])('if an earlier listener lets only one submission pass, %s', async (_, early) => {
    const script = `window.ran = 0;
      document.addEventListener('submit', (event) => { window.ran += 1; if (event.submitter.value === 'first') event.preventDefault(); });`;
    const { page, website } = await openPage(
      early,
      `<form method="post" action="/">${FIELDS}${widget()}</form><script>${script}</script>`,
    );
    await page.evaluate("document.querySelectorAll('button')[0].click()");
    await page.until('ran === 1');
    await page.evaluate(settled);
    expect([sent(website), await page.evaluate<string>(`${FIELD}.slice(0, 1)`)]).toEqual([[], 'A']);
    // The listener is in effect again.
    await page.evaluate(clickSecond);
    await page.evaluate(settled);
    expect([sent(website), await page.evaluate<number>('ran')]).toEqual([[], 1]);
  });

  test('if an earlier listener lets only one submission pass, and no listener sends it', async () => {
    const { page, website } = await openPage(
      GUARD,
      `<form method="post" action="/">${FIELDS}${widget()}</form>`,
    );
    await page.evaluate(clickSecond);
    await page.until(received);
    expect(sent(website)).toEqual([['second', true]]);
  });

  test.each([
    ['returnValue', 'event.returnValue = false;'],
    ['cancelBubble', 'event.cancelBubble = true; event.preventDefault();'],
  ])('if an earlier listener lets only one submission pass, and uses %s', async (_, stop) => {
    const early = `let wasSent = false;
      window.addEventListener('submit', (event) => { if (wasSent) { ${stop} } wasSent = true; }, true);`;
    const { page, website } = await openForm(early);
    await page.evaluate(clickSecond);
    await page.until(received);
    expect(sent(website)).toEqual([['second', true]]);
  });

  test.each([
    ['is not sent if the visitor cancels', 'if (!confirm()) event.preventDefault();', []],
    ['is sent if the answer is only noted', 'window.news = confirm();', [['second', true]]],
  ])('if an earlier listener asks a question each time, and %s', async (_, ask, expected) => {
    const early = `window.answers = [true, false]; window.asked = 0;
      window.confirm = () => { asked += 1; return answers.shift(); };
      window.addEventListener('submit', (event) => { ${ask} }, true);`;
    const { page, website } = await openForm(early);
    await page.evaluate(clickSecond);
    if (expected.length > 0) await page.until(received);
    else await page.until('asked === 2');
    await page.evaluate(settled);
    expect(sent(website)).toEqual(expected);
    if (expected.length === 0) expect(await page.evaluate<boolean>('/answers/.test(confirm)')).toBe(true);
  });

  test('if the script that repeats it cannot be loaded', async () => {
    const early = `Object.defineProperty(HTMLScriptElement.prototype, 'integrity', { set() { throw new Error('blocked'); } });`;
    const { page, website } = await openForm(early);
    await page.evaluate(clickSecond);
    await page.until(received);
    expect(sent(website)).toEqual([['second', true]]);
  });

  test('if an earlier listener rejects it, each time', async () => {
    const early = `window.rejected = 0;
      window.addEventListener('submit', (event) => { rejected += 1; event.preventDefault(); }, true);`;
    const { page, website } = await openForm(early);
    await page.evaluate(clickSecond);
    await page.until('rejected === 2');
    await page.evaluate(settled);
    expect(sent(website)).toEqual([]);
  });

  test('if the button is outside the form', async () => {
    const form = `<form id="f" method="post" action="/">${widget()}</form>
      <button></button><button form="f" name="via" value="far" onclick="setTimeout(() => this.disabled = true)"></button>`;
    const { page, website } = await openPage('', form);
    await page.evaluate(clickSecond);
    await page.until(received);
    expect(sent(website)).toEqual([['far', true]]);
  });

  test('if the form closes a dialog', async () => {
    const body = `<dialog><form method="dialog"><button value="yes" onclick="setTimeout(() => this.disabled = true)">
      Yes</button>${widget()}</form></dialog>`;
    const { page } = await openPage('', body);
    await page.evaluate(
      "void (document.querySelector('dialog').showModal(), document.querySelector('button').click())",
    );
    await page.until("!document.querySelector('dialog').open");
    expect(await page.evaluate<string>("document.querySelector('dialog').returnValue")).toBe('yes');
  });

  test('if the button opens the response in a frame', async () => {
    const body = `<iframe name="frame"></iframe><form method="post" action="/">${widget()}
      <button name="via" value="x" formtarget="frame" onclick="setTimeout(() => this.disabled = true)"></button></form>`;
    const { page, website } = await openPage('', body);
    await page.evaluate("document.querySelector('button').click()");
    await page.until("document.querySelector('iframe').contentDocument?.title === 'received'");
    expect(sent(website)).toEqual([['x', true]]);
  });
});
