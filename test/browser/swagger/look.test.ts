import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { openTab, type Tab } from '../../support/browser.ts';
import { startServer, type TestServer } from '../../support/server.ts';
import { CASE_TIMEOUT_MS } from '../fixture.ts';
import { faultsOf } from '../portal/screens.ts';
import { wcagFaults } from '../wcag.ts';

/** The API page in both themes and at both widths: accessibility, and no areas that scroll within the page. */

setDefaultTimeout(4 * CASE_TIMEOUT_MS);

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const TAGS = '.opblock-tag button';
const buttonIn = (selector: string, text: string) =>
  `[...document.querySelectorAll('${selector} button')].find((one) => one.textContent.includes('${text}'))`;

async function openPage(): Promise<Tab> {
  const tab = await openTab({ width: 1280, height: 900 });
  await tab.goto(`${server.url}/swagger`);
  await tab.until("document.querySelectorAll('.opblock').length > 30");
  return tab;
}

/** Elements that scroll on their own. */
const SCROLLING = `[...document.querySelectorAll('main, main *')]
  .filter((element) => /auto|scroll/.test(getComputedStyle(element).overflow) && element.tagName !== 'TEXTAREA')
  .filter((element) => element.scrollHeight > element.clientHeight + 1 || element.scrollWidth > element.clientWidth + 1)
  .map((element) => element.outerHTML.slice(0, 120))`;

/** Opens an operation with "Try it out". */
async function tryOut(tab: Tab, id: string): Promise<void> {
  await tab.click(`document.querySelector('#${id} .opblock-summary-control')`);
  await tab.until(`${buttonIn(`#${id}`, 'Try it out')} !== undefined`);
  await tab.click(buttonIn(`#${id}`, 'Try it out'));
  await tab.until(`${buttonIn(`#${id}`, 'Execute')} !== undefined`);
}

type State = readonly [name: string, open: (tab: Tab) => Promise<void>];

const STATES: readonly State[] = [
  ['all operations collapsed', async () => {}],
  [
    'the conventions open, and one tag',
    async (tab) => {
      await tab.evaluate(
        `document.querySelectorAll('${TAGS}').forEach((tag, index) => index > 0 && tag.click())`,
      );
      await tab.until(`document.querySelectorAll('.opblock').length < 10`);
      await tab.click("document.querySelector('.conventions > summary')");
    },
  ],
  [
    'an operation with parameters and its response',
    async (tab) => {
      const id = 'operations-Properties-listProperties';
      await tryOut(tab, id);
      await tab.click(buttonIn(`#${id}`, 'Execute'));
      await tab.until(`document.querySelector('#${id} .live-responses-table') !== null`);
    },
  ],
  ['an operation with a request body', (tab) => tryOut(tab, 'operations-Properties-createProperties')],
  [
    'an operation with its schema',
    async (tab) => {
      const id = 'operations-Organizations-listOrganizations';
      await tab.click(`document.querySelector('#${id} .opblock-summary-control')`);
      await tab.until(`document.querySelector('#${id} [data-name=model]') !== null`);
      await tab.click(`document.querySelector('#${id} [data-name=model]')`);
      await tab.until(`document.querySelector('#${id} .model-container') !== null`);
    },
  ],
];

describe('the API page', () => {
  test.each(STATES)('is accessible and does not scroll within the page: %s', async (name, open) => {
    const tab = await openPage();
    await open(tab);
    const found = await faultsOf(tab, `swagger-${name.replaceAll(' ', '-')}`);
    expect(found).toEqual([]);
    expect(await tab.evaluate<string[]>(SCROLLING)).toEqual([]);
    tab.close();
  });

  test('meets the criteria of WCAG 2.2 that axe-core does not cover', async () => {
    const tab = await openPage();
    await tryOut(tab, 'operations-Organizations-createOrganization');
    expect(await wcagFaults(tab)).toEqual({ spacing: [], enlarged: [], focus: [], fields: [] });
    tab.close();
  });
});
