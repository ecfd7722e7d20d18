import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { openTab } from '../../support/browser.ts';
import {
  CASE_TIMEOUT_MS,
  COUNT_WORKERS,
  FIELD,
  isIn,
  puzzlesAsked,
  type Site,
  serveSite,
  startPostern,
  type TestPostern,
  visit,
} from '../fixture.ts';

setDefaultTimeout(CASE_TIMEOUT_MS);

let postern: TestPostern;
let site: Site;
const siteWith = (values: Record<string, string>) =>
  serveSite(import.meta.dir, { postern: postern.url, sitekey: postern.sitekey, ...values });
beforeAll(async () => {
  postern = await startPostern();
  site = await siteWith({});
});
afterAll(async () => {
  await site.stop();
  await postern.stop();
});

const ELEMENT = "document.querySelector('.postern-captcha')";

test('the first focus in the form starts the check, whose events come in order', async () => {
  const tab = await visit(site);
  expect(puzzlesAsked(tab)).toBe(0);
  await tab.click("document.querySelector('#name')");
  await tab.until(isIn('verified'));
  await tab.evaluate('postern.autoWidget.reset()');
  expect(await tab.evaluate<string[]>('told')).toEqual(['init', 'start', 'progress', 'finish', 'reset']);
  tab.close();
});

test('the widget object knows its element, state and solution', async () => {
  const tab = await visit(site);
  expect(await tab.evaluate<boolean>(`postern.autoWidget.element() === ${ELEMENT}`)).toBe(true);
  await tab.evaluate('postern.autoWidget.execute()');
  await tab.until("postern.autoWidget.state() === 'verified'");
  expect(await tab.evaluate<boolean>(`postern.autoWidget.solution() === ${FIELD}`)).toBe(true);
  await tab.evaluate("postern.autoWidget.reset({ solutionField: 'proof' })");
  expect(await tab.evaluate<string>(`${ELEMENT}.querySelector('input').name`)).toBe('proof');
  tab.close();
});

test('mode click ignores a focus; mode load needs none', async () => {
  const clicked = await siteWith({ mode: 'click' });
  const quiet = await visit(clicked);
  await quiet.click("document.querySelector('#name')");
  expect(await quiet.evaluate<string>('postern.autoWidget.state()')).toBe('idle');
  expect(puzzlesAsked(quiet)).toBe(0);
  quiet.close();
  await clicked.stop();

  const loaded = await siteWith({ mode: 'load' });
  const eager = await openTab();
  await eager.goto(loaded.url);
  await eager.until("window.postern?.autoWidget?.state() === 'verified'");
  eager.close();
  await loaded.stop();
});

test('render=explicit waits for the call, whose options win; onload is told when all is there', async () => {
  const explicit = await siteWith({ query: '?render=explicit&onload=begun' });
  const tab = await openTab();
  await tab.goto(explicit.url);
  await tab.until('window.widgetsAtOnload === 0');
  await tab.evaluate(`void (window.made = postern.render(${ELEMENT}, { solutionField: 'proof', finishedCallback: 'site.done' }),
    window.site = { done: (widget) => { window.payload = widget.solution(); } })`);
  await tab.evaluate('made.execute()');
  await tab.until('window.payload !== undefined');
  expect(await tab.evaluate<boolean>(`payload === ${ELEMENT}.querySelector('[name=proof]').value`)).toBe(
    true,
  );
  tab.close();
  await explicit.stop();
});

test('elements that come later are found; 200 that go leave no worker and no widget behind', async () => {
  const slow = await startPostern({ level: 250 });
  const later = await siteWith({ postern: slow.url, sitekey: slow.sitekey });
  const tab = await visit(later, COUNT_WORKERS);
  await tab.evaluate(`(async () => {
    for (let i = 0; i < 200; i++) {
      const late = document.createElement('div');
      late.className = 'postern-captcha';
      late.dataset.sitekey = '${slow.sitekey}';
      document.querySelector('#second').append(late);
      await 0;
      if (i % 20 === 0) postern.start(late);
      window.mostWorkers = Math.max(window.mostWorkers ?? 0, openWorkers);
      late.remove();
      await 0;
    }
  })()`);
  expect(await tab.evaluate<number>('mostWorkers')).toBeGreaterThan(0);
  expect(await tab.evaluate<number>('openWorkers')).toBe(0);
  expect(await tab.evaluate<boolean>(`postern.autoWidget.element() === ${ELEMENT}`)).toBe(true);
  await tab.evaluate(`${ELEMENT}.remove()`);
  await tab.until('postern.autoWidget === undefined');
  tab.close();
  await later.stop();
  await slow.stop();
});

test('an element that moves keeps its state and goes with its new form; one that comes back begins anew', async () => {
  const tab = await visit(site);
  await tab.evaluate('postern.autoWidget.execute()');
  await tab.until(isIn('verified'));
  await tab.evaluate(`document.querySelector('#second').append(${ELEMENT})`);
  expect(await tab.evaluate<string>(FIELD)).not.toBe('');
  await tab.evaluate("document.querySelector('#first').reset()");
  expect(await tab.evaluate<boolean>(isIn('verified'))).toBe(true);
  await tab.evaluate("document.querySelector('#second').reset()");
  expect(await tab.evaluate<boolean>(isIn('idle'))).toBe(true);
  await tab.evaluate(`void (window.gone = ${ELEMENT}, gone.remove())`);
  await tab.until('postern.autoWidget === undefined');
  await tab.evaluate("document.querySelector('#first').append(gone)");
  await tab.until('postern.autoWidget?.element() === gone');
  await tab.click("document.querySelector('#name')");
  await tab.until(isIn('verified'));
  tab.close();
});

test('a widget in a shadow root works, with its form', async () => {
  const tab = await visit(site);
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
