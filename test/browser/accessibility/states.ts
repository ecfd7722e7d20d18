import { afterEach } from 'bun:test';
import { BROWSER } from '../../browsers.ts';
import type { Tab } from '../../support/browser.ts';
import { fastClock, isIn, type TestPostern, useBrowserCase, usePostern, visit } from '../fixture.ts';

/** Attributes of the widget, and the theme of the page. */
export type Options = { readonly theme?: string; readonly mode?: string; readonly page?: string };

/** A prelude that lets the page pretend to be hidden. */
const HIDEABLE = `Object.defineProperty(document, 'visibilityState', { get: () => (window.isHidden ? 'hidden' : 'visible') });`;

/** On a busy machine, browsers that use more CPU time need longer until their workers respond, and the clock affects this limit, too. */
const SPEED = BROWSER === 'chromium' ? 50 : 20;

const start = (page: Tab) => page.evaluate('postern.autoWidget.execute()');

/** Starts servers for the tests of a file. @returns functions that open a page with a widget in each state */
export function useStates() {
  const { postern, serve } = useBrowserCase(import.meta.dir);
  // No test waits until these puzzles are solved.
  const slow = usePostern({ level: 250 });
  const shortLived = usePostern({ level: 250, validitySeconds: 60 });
  let tab: Tab | undefined;
  afterEach(() => {
    tab?.close();
    tab = undefined;
  });

  async function open(
    server: TestPostern,
    options: Options,
    prelude = '',
    sitekey = server.sitekey,
  ): Promise<Tab> {
    const values = { postern: server.url, sitekey, theme: '', mode: '', page: 'light', ...options };
    tab = await visit(await serve(values), prelude);
    return tab;
  }

  return {
    idle: (options: Options) => open(postern, options),
    async solving(options: Options) {
      const page = await open(slow, options);
      await start(page);
      await page.until(isIn('solving'));
      return page;
    },
    async verified(options: Options) {
      const page = await open(postern, options);
      await start(page);
      await page.until(isIn('verified'));
      return page;
    },
    async expired(options: Options) {
      // Only a widget on a hidden page remains in this state.
      const page = await open(shortLived, options, `${fastClock(SPEED)}; ${HIDEABLE}`);
      await start(page);
      await page.evaluate('window.isHidden = true');
      await page.until(isIn('expired'));
      return page;
    },
    async failed(options: Options) {
      const page = await open(postern, options, '', postern.foreignSitekey);
      await start(page);
      await page.until(isIn('failed'));
      return page;
    },
  };
}

export const STATES = ['idle', 'solving', 'verified', 'expired', 'failed'] as const;
