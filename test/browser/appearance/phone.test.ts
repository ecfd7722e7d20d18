import { expect, test } from 'bun:test';
import { isIn, useBrowserCase, visit } from '../fixture.ts';

const { postern, serve } = useBrowserCase(import.meta.dir);

test('popup: the widget is inside the window, even on a phone', async () => {
  const tab = await visit(await serve({ mode: 'popup', sitekey: postern.foreignSitekey }));
  await tab.resize({ width: 320, height: 512 }, true);
  await tab.evaluate(`postern.autoWidget.execute()`);
  await tab.until(isIn('failed'));
  const { left, right, bottom } = await tab.evaluate<{ left: number; right: number; bottom: number }>(
    `(({ left, right, bottom }) => ({ left, right: innerWidth - right, bottom: innerHeight - bottom }))(document.querySelector('.postern-captcha').firstElementChild.getBoundingClientRect())`,
  );
  expect(Math.min(left, right, bottom)).toBeGreaterThanOrEqual(8);
  tab.close();
});
