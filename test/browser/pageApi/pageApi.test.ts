import { expect, test } from 'bun:test';
import { BUTTON, FIELD, isIn, STATUS, useBrowserCase, visit } from '../fixture.ts';

const { website } = useBrowserCase(import.meta.dir);

const fieldNamed = (field: string) => `document.querySelector('input[name="${field}"]').value`;

test('the finished callback receives the widget, with its owner as this', async () => {
  const tab = await visit(website);
  await tab.evaluate(`void (window.website = { calls: [], finished(...args) { this.calls.push(args); } })`);
  await tab.click(BUTTON);
  await tab.until('website.calls.length === 1');
  expect(await tab.evaluate<boolean>(`website.calls[0][0].solution() === ${FIELD}`)).toBe(true);
  expect(await tab.evaluate<number>('website.calls[0].length')).toBe(1);
  expect(
    await tab.evaluate<boolean>(
      "website.calls[0][0].element() === document.querySelector('.postern-captcha')",
    ),
  ).toBe(true);
  tab.close();
});

test('two widgets on a page have independent fields in their forms', async () => {
  const tab = await visit(website);
  await tab.evaluate("postern.start(document.querySelector('#second > div'))");
  await tab.until(`${fieldNamed('proof')} !== ''`);
  expect(await tab.evaluate<string>(FIELD)).toBe('');
  expect(await tab.evaluate<boolean>("new FormData(document.querySelector('#second')).has('proof')")).toBe(
    true,
  );
  expect(await tab.evaluate<boolean>("new FormData(document.querySelector('#first')).has('proof')")).toBe(
    false,
  );
  tab.close();
});

test('a widget outside a form contains its field', async () => {
  const tab = await visit(website);
  await tab.evaluate("postern.start(document.querySelector('#loose'))");
  await tab.until("document.querySelector('#loose input').value !== ''");
  tab.close();
});

test('resetting the form clears the field and the control', async () => {
  const tab = await visit(website);
  await tab.click(BUTTON);
  await tab.until(isIn('verified'));
  await tab.evaluate("document.querySelector('#first').reset()");
  expect(await tab.evaluate<string>(FIELD)).toBe('');
  expect(await tab.evaluate<boolean>(isIn('idle'))).toBe(true);
  await tab.click(BUTTON);
  await tab.until(isIn('verified'));
  tab.close();
});

test('without constructable style sheets, unstyled controls work', async () => {
  const tab = await visit(website, 'delete ShadowRoot.prototype.adoptedStyleSheets;');
  expect(await tab.evaluate<string>(`${BUTTON}.textContent`)).toBe('I am human');
  await tab.click(BUTTON);
  await tab.until(isIn('verified'));
  expect(await tab.evaluate<string>(STATUS)).toBe('Verified');
  tab.close();
});

test('a widget without a sitekey reports this instead of sending a request', async () => {
  const tab = await visit(website);
  await tab.evaluate("postern.start(document.querySelector('#unset'))");
  await tab.until(
    "document.querySelector('#unset > div').shadowRoot.querySelector('.box').dataset.state === 'failed'",
  );
  expect(tab.consoleLines).toContain('error [postern] sitekey-missing: no data-sitekey');
  tab.close();
});

test('an element that is added later is rendered once on request', async () => {
  const tab = await visit(website);
  await tab.evaluate(`(() => {
    const late = document.createElement('div');
    late.id = 'late';
    document.body.append(late);
    postern.render(late);
    postern.render(late);
  })()`);
  expect(await tab.evaluate<number>("document.querySelector('#late').children.length")).toBe(2);
  tab.close();
});
