import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { openTab, type Tab } from '../../support/browser.ts';
import { CASE_TIMEOUT_MS, serveSite, startPostern, type TestPostern } from '../fixture.ts';

setDefaultTimeout(CASE_TIMEOUT_MS);

let postern: TestPostern;
beforeAll(async () => {
  postern = await startPostern();
});
afterAll(() => postern.stop());

const source = () => `${postern.url}/widget/postern.js?onload=begun`;

/** Opens the page with this in the place of the script, and lets it load. */
async function open(script: string, run: (tab: Tab) => Promise<void>): Promise<void> {
  const site = await serveSite(import.meta.dir, { script, sitekey: postern.sitekey });
  const tab = await openTab();
  await tab.goto(site.url);
  await tab.until("document.readyState === 'complete'");
  await run(tab);
  tab.close();
  await site.stop();
}

/** What happened, once both have. */
async function orderOf(tab: Tab): Promise<readonly string[]> {
  await tab.until('order.length >= 2');
  return tab.evaluate<string[]>('order');
}

/** Adds the script to the page, as loaders do. @param kind members of the element */
function insert(tab: Tab, kind: string): Promise<void> {
  return tab.evaluate(`void (() => {
    const script = document.createElement('script');
    Object.assign(script, ${kind}, { src: '${source()}' });
    script.addEventListener('load', () => order.push('load'));
    document.body.append(script);
  })()`);
}

// react-async-script throws where the callback comes first, and its component never renders.
describe("?onload= calls the function after the script's load event", () => {
  test.each(['', 'async', 'defer', 'type="module"', 'type="module" async'])(
    'of a script in the page with the attributes "%s"',
    async (attributes) => {
      const script = `<script src="${source()}" ${attributes} onload="order.push('load')"></script>`;
      await open(script, async (tab) => expect(await orderOf(tab)).toEqual(['load', 'callback']));
    },
  );

  test.each(['{}', '{ async: false }', "{ type: 'module' }"])(
    'of a script with %s that is inserted into a loaded page, also the second time',
    async (kind) => {
      await open('', async (tab) => {
        await insert(tab, kind);
        expect(await orderOf(tab)).toEqual(['load', 'callback']);
        await tab.evaluate('void order.splice(0)');
        // A module runs once in a page.
        if (kind.includes('module')) return;
        await insert(tab, kind);
        expect(await orderOf(tab)).toEqual(['load', 'callback']);
      });
    },
  );
});

test('?onload= calls a function that the load event of the script defines', async () => {
  await open('', async (tab) => {
    await tab.evaluate(`void (() => {
      const script = document.createElement('script');
      script.src = '${source().replace('begun', 'late')}';
      script.onload = () => { order.push('load'); window.late = () => order.push('callback'); };
      document.body.append(script);
    })()`);
    expect(await orderOf(tab)).toEqual(['load', 'callback']);
  });
});
