import { expect, test } from 'bun:test';
import type { Tab } from '../../support/browser.ts';
import { BUTTON, FIELD, isIn, useBrowserCase, visit } from '../fixture.ts';

const { postern, website } = useBrowserCase(import.meta.dir);

const byId = (id: string) => `document.querySelector('#${id}')`;
const POST = (button: string) =>
  `fetch('/send', { method: 'POST', body: new URLSearchParams(new FormData(${byId('form')}, ${byId(button)})) })`;

type Submission = readonly [name: string, send: (tab: Tab) => Promise<void>, button: string];

const SUBMISSIONS: readonly Submission[] = [
  ['its button', (tab) => tab.click(byId('inside')), 'inside'],
  ['a button outside it', (tab) => tab.click(byId('outside')), 'outside'],
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
    'fetch with its FormData',
    (tab) => tab.evaluate(`${POST('inside')}.then(() => { document.title = 'received'; })`),
    'inside',
  ],
];

test.each(SUBMISSIONS)('a form sent with %s contains the payload and the button', async (_, send, button) => {
  const tab = await visit(website);
  await tab.click(BUTTON);
  await tab.until(isIn('verified'));
  const payload = await tab.evaluate<string>(FIELD);
  const before = website.submissions.length;
  await send(tab);
  await tab.until("document.title === 'received'");
  expect(website.submissions.slice(before).map((fields) => [...fields])).toEqual([
    [
      ['name', 'Ada'],
      ['postern-captcha-solution', payload],
      ['button', button],
    ],
  ]);
  expect(await postern.verify(payload)).toMatchObject({ success: true, code: 0 });
  tab.close();
});

test('after a fetch, a reset leads to a new payload for the next request', async () => {
  const tab = await visit(website);
  const payloads: string[] = [];
  for (const _ of ['first', 'second']) {
    await tab.click(byId('name'));
    await tab.until(isIn('verified'));
    await tab.evaluate(POST('inside'));
    payloads.push(website.submissions.at(-1)?.get('postern-captcha-solution') ?? '');
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

test('listeners of formdata receive the payload and can replace it', async () => {
  const tab = await visit(website);
  await tab.click(BUTTON);
  await tab.until(isIn('verified'));
  await tab.evaluate(`${byId('form')}.addEventListener('formdata', ({ formData }) => {
    formData.set('proof', formData.get('postern-captcha-solution'));
    formData.delete('postern-captcha-solution');
  })`);
  const payload = await tab.evaluate<string>(FIELD);
  await tab.click(byId('inside'));
  await tab.until("document.title === 'received'");
  expect(website.submissions.at(-1)?.get('proof')).toBe(payload);
  expect(website.submissions.at(-1)?.has('postern-captcha-solution')).toBe(false);
  tab.close();
});
