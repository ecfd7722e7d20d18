import { afterEach, expect, test } from 'bun:test';
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
  const head = `<script src="${server.url}/widget/postern.js"></script>`;
  const body = `<form method="post" action="/">${FIELDS}${widget}</form><script>${script}</script>`;
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
