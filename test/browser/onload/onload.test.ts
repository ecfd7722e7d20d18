import { describe, expect, test } from 'bun:test';
import { openTab, type Tab } from '../../support/browser.ts';
import { useBrowserCase } from '../fixture.ts';

const { postern, serve } = useBrowserCase(import.meta.dir);

const source = () => `${postern.url}/widget/postern.js?onload=onReady`;

/** Opens the page with the given script element and waits until it is loaded. */
async function open(script: string, run: (tab: Tab) => Promise<void>): Promise<void> {
  const website = await serve({ script });
  const tab = await openTab();
  await tab.goto(website.url);
  await tab.until("document.readyState === 'complete'");
  await run(tab);
  tab.close();
}

/** Waits for both calls. @returns their order */
async function orderOf(tab: Tab): Promise<readonly string[]> {
  await tab.until('order.length >= 2');
  return tab.evaluate<string[]>('order');
}

/** Adds the script to the page, like a loader. @param properties of the element */
function insert(tab: Tab, properties: string): Promise<void> {
  return tab.evaluate(`void (() => {
    const script = document.createElement('script');
    Object.assign(script, ${properties}, { src: '${source()}' });
    script.addEventListener('load', () => order.push('load'));
    document.body.append(script);
  })()`);
}

// react-async-script throws if the callback is called first, and its component never renders.
describe("?onload= calls the function after the script's load event", () => {
  test.each(['', 'async', 'defer', 'type="module"', 'type="module" async'])(
    'for a script in the page with the attributes "%s"',
    async (attributes) => {
      const script = `<script src="${source()}" ${attributes} onload="order.push('load')"></script>`;
      await open(script, async (tab) => expect(await orderOf(tab)).toEqual(['load', 'callback']));
    },
  );

  test.each(['{}', '{ async: false }', "{ type: 'module' }"])(
    'for a script with %s that is added to a loaded page, even twice',
    async (properties) => {
      await open('', async (tab) => {
        await insert(tab, properties);
        expect(await orderOf(tab)).toEqual(['load', 'callback']);
        await tab.evaluate('void order.splice(0)');
        // A module runs only once per page.
        if (properties.includes('module')) return;
        await insert(tab, properties);
        expect(await orderOf(tab)).toEqual(['load', 'callback']);
      });
    },
  );
});

test('?onload= calls a function that the load event of the script defines', async () => {
  await open('', async (tab) => {
    await tab.evaluate(`void (() => {
      const script = document.createElement('script');
      script.src = '${source().replace('onReady', 'late')}';
      script.onload = () => { order.push('load'); window.late = () => order.push('callback'); };
      document.body.append(script);
    })()`);
    expect(await orderOf(tab)).toEqual(['load', 'callback']);
  });
});

// With one check of a property every half second, a page can define the function at any time, and nothing else needs to call the script.
test('?onload= looks for a function that does not exist every half second', async () => {
  // Timers end at once, so that the test does not wait. A lookup records the pause before it.
  const recorder = `<script>
    window.pauses = [];
    let pause;
    const timer = window.setTimeout;
    window.setTimeout = (run, delay) => timer(() => { pause = delay; run(); }, 0);
    Object.defineProperty(window, 'missing', { get: () => void pauses.push(pause) });
  </script>`;
  const script = `<script src="${source().replace('onReady', 'missing')}"></script>`;
  await open(recorder + script, async (tab) => {
    await tab.until('pauses.length >= 40');
    const pauses = await tab.evaluate<number[]>('pauses');
    expect(new Set(pauses.slice(1))).toEqual(new Set([500]));
  });
});

// Components define the function when they are mounted. It used to be called only if it existed at the page's load event.
test('?onload= calls a function that is defined long after the page was loaded', async () => {
  await open(`<script src="${source().replace('onReady', 'app.mounted')}"></script>`, async (tab) => {
    await tab.evaluate("void (order.push('load'), window.app = {})");
    await tab.evaluate('new Promise((resolve) => setTimeout(resolve, 300))');
    await tab.evaluate("void (app.mounted = () => order.push('callback'))");
    expect(await orderOf(tab)).toEqual(['load', 'callback']);
  });
});
