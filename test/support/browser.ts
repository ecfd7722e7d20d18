/** A real browser: Chromium, or the one that `TEST_BROWSER` names. All tests share one process of it. */

import { acquireView, releaseView } from './browsers/pool.ts';
import type { Controls, SentRequest, Size } from './browsers/view.ts';
import { PATIENCE_MS } from './waitUntil.ts';

/** A tab of the browser. */
export type Tab = Controls & {
  goto(url: string): Promise<void>;
  /** Waits until the expression is truthy; evaluates it in every frame. */
  until(expression: string): Promise<void>;
  /** Sends a trusted click to the center of the element that the expression returns. */
  click(expression: string): Promise<void>;
  /** All requests since the tab was opened, without preflights. */
  readonly requests: readonly SentRequest[];
  /** Lines that the page wrote to its console. */
  readonly consoleLines: readonly string[];
  /** @throws if the page had an uncaught error */
  close(): void;
};

/** Opens an empty tab. The first call starts the browser. Closed tabs are reused, because opening a new one is slow. */
export async function openTab(size: Size = { width: 800, height: 600 }): Promise<Tab> {
  const view = await acquireView(size);
  const { requests, uncaught, consoleLines } = view.beginVisit();
  const { evaluate } = view;
  return {
    ...view,
    goto: view.navigate,
    async until(expression) {
      for (let isSo: boolean | undefined; isSo !== false; ) {
        isSo = await evaluate<boolean>(waiting(expression)).catch(ifNavigated);
        if (isSo) return;
      }
      throw new Error(`still false after ${PATIENCE_MS} ms: ${expression}\n${consoleLines.join('\n')}`);
    },
    async click(expression) {
      const center = await evaluate<{ x: number; y: number }>(centerOf(expression));
      await view.click(center.x, center.y);
    },
    requests,
    consoleLines,
    close() {
      releaseView(view);
      if (uncaught.length > 0) throw new Error(`uncaught in the page: ${uncaught.join('\n')}`);
    },
  };
}

/** A navigation interrupts the wait, which then continues on the next page. */
function ifNavigated(cause: unknown): undefined {
  if (String(cause).includes('navigated')) return undefined;
  throw cause;
}

/** Counts frames of about 16 ms, because a test can change the clock of the page. */
function waiting(expression: string): string {
  return `new Promise((resolve) => {
    let frames = ${PATIENCE_MS / 16};
    const check = () => {
      if (${expression}) resolve(true);
      else if (frames-- < 0) resolve(false);
      else requestAnimationFrame(check);
    };
    check();
  })`;
}

function centerOf(expression: string): string {
  return `((element) => {
    element.scrollIntoView({ block: 'nearest' });
    const { x, y, width, height } = element.getBoundingClientRect();
    return { x: x + width / 2, y: y + height / 2 };
  })(${expression})`;
}
