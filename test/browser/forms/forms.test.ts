import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { Tab } from '../../support/browser.ts';
import {
  BOX,
  BUTTON,
  CASE_TIMEOUT_MS,
  FIELD,
  isIn,
  type Site,
  serveSite,
  startPostern,
  type TestPostern,
  visit,
} from '../fixture.ts';

setDefaultTimeout(CASE_TIMEOUT_MS);

let postern: TestPostern;
let site: Site;
beforeAll(async () => {
  postern = await startPostern();
  site = await serveSite(import.meta.dir, { postern: postern.url, sitekey: postern.sitekey });
});
afterAll(async () => {
  await site.stop();
  await postern.stop();
});

const byId = (id: string) => `document.querySelector('#${id}')`;
const POST = (button: string) =>
  `fetch('/send', { method: 'POST', body: new URLSearchParams(new FormData(${byId('form')}, ${byId(button)})) })`;

type Way = readonly [name: string, send: (tab: Tab) => Promise<void>, button: string];

const WAYS: readonly Way[] = [
  ['a press of its button', (tab) => tab.click(byId('inside')), 'inside'],
  ['a press of a button outside of it', (tab) => tab.click(byId('outside')), 'outside'],
  [
    'Enter in a field',
    async (tab) => {
      await tab.click(byId('name'));
      await tab.press('Enter');
    },
    'inside',
  ],
  [
    'requestSubmit with a button',
    (tab) => tab.evaluate(`${byId('form')}.requestSubmit(${byId('outside')})`),
    'outside',
  ],
  [
    'fetch of its FormData',
    (tab) => tab.evaluate(`${POST('inside')}.then(() => { document.title = 'received'; })`),
    'inside',
  ],
];

test.each(WAYS)('a form sent by %s carries the payload and the button', async (_, send, button) => {
  const tab = await visit(site);
  await tab.click(BUTTON);
  await tab.until(isIn('verified'));
  const payload = await tab.evaluate<string>(FIELD);
  const before = site.submissions.length;
  await send(tab);
  await tab.until("document.title === 'received'");
  expect(site.submissions.slice(before).map((fields) => [...fields])).toEqual([
    [
      ['name', 'Ada'],
      ['postern-captcha-solution', payload],
      ['button', button],
    ],
  ]);
  expect(await postern.verify(payload)).toMatchObject({ success: true, code: 0 });
  tab.close();
});

test('after a form was fetched, a reset makes for another payload, good for the next time', async () => {
  const tab = await visit(site);
  const payloads: string[] = [];
  for (const _ of ['first', 'second']) {
    await tab.click(byId('name'));
    await tab.until(isIn('verified'));
    await tab.evaluate(POST('inside'));
    payloads.push(site.submissions.at(-1)?.get('postern-captcha-solution') ?? '');
    await tab.evaluate('postern.autoWidget.reset()');
    expect(await tab.evaluate<string>(`new FormData(${byId('form')}).get('postern-captcha-solution')`)).toBe(
      '',
    );
    await tab.evaluate(`${byId('name')}.blur()`);
  }
  const [first = '', second = ''] = payloads;
  for (const payload of [first, second]) {
    expect(await postern.verify(payload)).toMatchObject({ success: true, code: 0 });
  }
  expect(await postern.verify(first)).toMatchObject({ success: false, code: 8 });
  tab.close();
});

test('listeners of formdata see the payload, and what they put in its place is sent', async () => {
  const tab = await visit(site);
  await tab.click(BUTTON);
  await tab.until(isIn('verified'));
  await tab.evaluate(`${byId('form')}.addEventListener('formdata', ({ formData }) => {
    formData.set('proof', formData.get('postern-captcha-solution'));
    formData.delete('postern-captcha-solution');
  })`);
  const payload = await tab.evaluate<string>(FIELD);
  await tab.click(byId('inside'));
  await tab.until("document.title === 'received'");
  expect(site.submissions.at(-1)?.get('proof')).toBe(payload);
  expect(site.submissions.at(-1)?.has('postern-captcha-solution')).toBe(false);
  tab.close();
});

test.each([
  ['kept', {}, true],
  ['forgot', { 'Cache-Control': 'no-store' }, false],
])(
  'a visitor who comes back to a page that the browser %s finds a widget that begins anew',
  async (_, headers, wasKept) => {
    const values = { postern: postern.url, sitekey: postern.sitekey };
    const visited = await serveSite(import.meta.dir, values, headers);
    const tab = await visit(visited);
    await tab.evaluate('void (window.wasKept = true)');
    await tab.click(BUTTON);
    await tab.until(isIn('verified'));
    await tab.click(byId('inside'));
    await tab.until("document.title === 'received'");
    // As a task of its own: the answer leaves before the page does.
    await tab.evaluate('void setTimeout(() => history.back(), 0)');
    await tab.until(`document.title === 'forms' && ${BOX} && ${isIn('idle')}`);
    expect(await tab.evaluate<boolean>('window.wasKept === true')).toBe(wasKept);
    expect(await tab.evaluate<string>(FIELD)).toBe('');
    tab.close();
    await visited.stop();
  },
);
