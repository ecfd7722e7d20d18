import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { BOX, BUTTON, FIELD, isIn, useBrowserCase, visit } from '../browser/fixture.ts';

/** The back/forward cache, which only the complete browser has. */

// All tabs of a process share one browser, so this folder is a separate layer.
process.env.BUN_CHROME_PATH ??= Bun.which('chromium') ?? 'chromium';

const { serve } = useBrowserCase(join(import.meta.dir, '../browser/forms'));

test.each([
  ['cached', {}, true],
  ['did not cache', { 'Cache-Control': 'no-store' }, false],
])(
  'after a visitor returns to a page that the browser %s, the widget is idle',
  async (_, headers, wasCached) => {
    const tab = await visit(await serve({}, headers));
    await tab.evaluate('void (window.wasCached = true)');
    await tab.click(BUTTON);
    await tab.until(isIn('verified'));
    await tab.click("document.querySelector('#inside')");
    await tab.until("document.title === 'received'");
    // In a separate task, so that the result is sent before the page is left.
    await tab.evaluate('void setTimeout(() => history.back(), 0)');
    await tab.until(`document.title === 'forms' && ${BOX} && ${isIn('idle')}`);
    expect(await tab.evaluate<boolean>('window.wasCached === true')).toBe(wasCached);
    expect(await tab.evaluate<string>(FIELD)).toBe('');
    tab.close();
  },
);
