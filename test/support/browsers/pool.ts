/** Tabs that tests reuse. Opening a tab of Chromium takes half a second of CPU time, and resetting one much less. */
import { BROWSER } from '../../browsers.ts';
import { openChromium } from './chromium.ts';
import { openFirefox } from './firefox.ts';
import type { Size, View } from './view.ts';
import { openWebKit } from './webkit.ts';

const OPEN = { chromium: openChromium, firefox: openFirefox, webkit: openWebKit };

/** Tabs for the next tests, one of each size. Some are still being reset. */
const idle = new Map<string, Promise<View | undefined>>();
const keyOf = ({ width, height }: Size) => `${width}x${height}`;

/** Returns an empty tab of the browser that `TEST_BROWSER` names. */
export async function acquireView(size: Size): Promise<View> {
  const reused = idle.get(keyOf(size));
  idle.delete(keyOf(size));
  const view = (await reused) ?? (await OPEN[BROWSER](size));
  await view.activate();
  return view;
}

/** Keeps a tab for the next test, or closes it. */
export function releaseView(view: View): void {
  const key = keyOf(view.size);
  if (idle.has(key)) {
    view.close();
    return;
  }
  idle.set(
    key,
    view.empty().then((isUsable) => {
      if (isUsable) return view;
      view.close();
      return undefined;
    }),
  );
}
