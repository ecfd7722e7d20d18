/**
 * A real Chromium, controlled through Bun.WebView: the program in BUN_CHROME_PATH, or chromium-headless-shell, or Chromium. All tests
 * share one process.
 */

import { acquireView, releaseView, type SentRequest, type Size } from './browserViews.ts';
import { PATIENCE_MS } from './waitUntil.ts';

/** A tab of the browser. */
export type Tab = {
  goto(url: string): Promise<void>;
  /** Returns the value of an expression in the page; promises are awaited. */
  evaluate<T>(expression: string): Promise<T>;
  /** Waits until the expression is truthy; evaluates it in every frame. */
  until(expression: string): Promise<void>;
  /** Sends a trusted click to the center of the element that the expression returns. */
  click(expression: string): Promise<void>;
  /** Sends a trusted key press, such as `Tab`, `Enter`, or `Space`. */
  press(key: string): Promise<void>;
  /** All requests since the tab was opened, without preflights. */
  readonly requests: readonly SentRequest[];
  /** Lines that the page wrote to its console. */
  readonly consoleLines: readonly string[];
  /** Sends the requests for an origin to another one; pages cannot see it. */
  redirect(from: string, to: string): Promise<void>;
  cdp<T>(method: string, parameters?: Record<string, unknown>): Promise<T>;
  /** A PNG of the tab. */
  screenshot(): Promise<Blob>;
  /** @throws if the page had an uncaught error */
  close(): void;
};

/** Opens an empty tab. The first call starts the browser. Closed tabs are reused, because opening a new one is slow. */
export async function openTab(size: Size = { width: 800, height: 600 }): Promise<Tab> {
  const view = await acquireView(size);
  const { requests, uncaught, consoleLines } = view.beginVisit();
  const { evaluate } = view;
  return {
    goto: view.navigate,
    evaluate,
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
    press: view.press,
    requests,
    consoleLines,
    redirect: view.redirect,
    cdp: view.cdp,
    screenshot: view.screenshot,
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
