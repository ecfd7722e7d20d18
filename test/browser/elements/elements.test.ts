import { expect, test } from 'bun:test';
import { openTab } from '../../support/browser.ts';
import { COUNT_WORKERS, FIELD, isIn, puzzleRequests, useBrowserCase, usePostern, visit } from '../fixture.ts';

const { postern, serve, website } = useBrowserCase(import.meta.dir);
const slow = usePostern({ level: 250 });

const ELEMENT = "document.querySelector('.postern-captcha')";

test('the first focus in the form starts the check, which emits events in order', async () => {
  const tab = await visit(website);
  expect(puzzleRequests(tab)).toBe(0);
  await tab.click("document.querySelector('#name')");
  await tab.until(isIn('verified'));
  await tab.evaluate('postern.autoWidget.reset()');
  expect(await tab.evaluate<string[]>('events')).toEqual(['init', 'start', 'progress', 'finish', 'reset']);
  tab.close();
});

test('the widget object provides its element, state, and solution', async () => {
  const tab = await visit(website);
  expect(await tab.evaluate<boolean>(`postern.autoWidget.element() === ${ELEMENT}`)).toBe(true);
  await tab.evaluate('postern.autoWidget.execute()');
  await tab.until("postern.autoWidget.state() === 'verified'");
  expect(await tab.evaluate<boolean>(`postern.autoWidget.solution() === ${FIELD}`)).toBe(true);
  await tab.evaluate("postern.autoWidget.reset({ solutionField: 'proof' })");
  expect(await tab.evaluate<string>(`${ELEMENT}.querySelector('input').name`)).toBe('proof');
  tab.close();
});

test('start mode click ignores the focus, and load does not need it', async () => {
  const quiet = await visit(await serve({ mode: 'click' }));
  await quiet.click("document.querySelector('#name')");
  expect(await quiet.evaluate<string>('postern.autoWidget.state()')).toBe('idle');
  expect(puzzleRequests(quiet)).toBe(0);
  quiet.close();

  const loaded = await serve({ mode: 'load' });
  const eager = await openTab();
  await eager.goto(loaded.url);
  await eager.until("window.postern?.autoWidget?.state() === 'verified'");
  eager.close();
});

test('render=explicit waits for the call, whose options have precedence, and onload is called after all elements exist', async () => {
  const explicit = await serve({ query: '?render=explicit&onload=onReady' });
  const tab = await openTab();
  await tab.goto(explicit.url);
  await tab.until('window.widgetsAtOnload === 0');
  await tab.evaluate(`void (window.rendered = postern.render(${ELEMENT}, { solutionField: 'proof', finishedCallback: 'website.done' }),
    window.website = { done: (widget) => { window.payload = widget.solution(); } })`);
  await tab.evaluate('rendered.execute()');
  await tab.until('window.payload !== undefined');
  expect(await tab.evaluate<boolean>(`payload === ${ELEMENT}.querySelector('[name=proof]').value`)).toBe(
    true,
  );
  tab.close();
});

test('elements that are added later are found; 200 that are removed leave no workers or widgets behind', async () => {
  const later = await serve({ postern: slow.url, sitekey: slow.sitekey });
  const tab = await visit(later, COUNT_WORKERS);
  await tab.evaluate(`(async () => {
    for (let i = 0; i < 200; i++) {
      const late = document.createElement('div');
      late.className = 'postern-captcha';
      late.dataset.sitekey = '${slow.sitekey}';
      document.querySelector('#second').append(late);
      await 0;
      if (i % 20 === 0) postern.start(late);
      window.maxWorkers = Math.max(window.maxWorkers ?? 0, openWorkers);
      late.remove();
      await 0;
    }
  })()`);
  expect(await tab.evaluate<number>('maxWorkers')).toBeGreaterThan(0);
  expect(await tab.evaluate<number>('openWorkers')).toBe(0);
  expect(await tab.evaluate<boolean>(`postern.autoWidget.element() === ${ELEMENT}`)).toBe(true);
  await tab.evaluate(`${ELEMENT}.remove()`);
  await tab.until('postern.autoWidget === undefined');
  tab.close();
});

test('a moved element keeps its state and belongs to its new form; an element that is added again is idle', async () => {
  const tab = await visit(website);
  await tab.evaluate('postern.autoWidget.execute()');
  await tab.until(isIn('verified'));
  await tab.evaluate(`document.querySelector('#second').append(${ELEMENT})`);
  expect(await tab.evaluate<string>(FIELD)).not.toBe('');
  await tab.evaluate("document.querySelector('#first').reset()");
  expect(await tab.evaluate<boolean>(isIn('verified'))).toBe(true);
  await tab.evaluate("document.querySelector('#second').reset()");
  expect(await tab.evaluate<boolean>(isIn('idle'))).toBe(true);
  await tab.evaluate(`void (window.removed = ${ELEMENT}, removed.remove())`);
  await tab.until('postern.autoWidget === undefined');
  await tab.evaluate("document.querySelector('#first').append(removed)");
  await tab.until('postern.autoWidget?.element() === removed');
  await tab.click("document.querySelector('#name')");
  await tab.until(isIn('verified'));
  tab.close();
});

test('a widget in a shadow root works, with its form', async () => {
  const tab = await visit(website);
  await tab.evaluate(`(() => {
    const root = document.body.appendChild(document.createElement('section')).attachShadow({ mode: 'open' });
    const form = root.appendChild(document.createElement('form'));
    window.name_ = form.appendChild(document.createElement('input'));
    window.inside = postern.render(form.appendChild(document.createElement('div')), { sitekey: '${postern.sitekey}' });
    name_.focus();
  })()`);
  await tab.until("inside.state() === 'verified'");
  tab.close();
});
