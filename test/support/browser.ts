/**
 * A real Chromium, driven through Bun.WebView. The browser is found in the usual places, or where
 * BUN_CHROME_PATH points; one process serves a whole test run.
 */

import { acquireView, releaseView, type SentRequest, type Size } from './browserViews.ts';
import { PATIENCE_MS } from './waitUntil.ts';

/** One tab. */
export type Tab = {
  goto(url: string): Promise<void>;
  /** The value of an expression in the page; promises are awaited. */
  evaluate<T>(expression: string): Promise<T>;
  /** Resolves once the expression is truthy; looks at every frame. */
  until(expression: string): Promise<void>;
  /** A trusted click in the middle of what the expression evaluates to, an element. */
  click(expression: string): Promise<void>;
  /** A trusted key, as in `Tab`, `Enter`, `Space`. */
  press(key: string): Promise<void>;
  /** All requests since the tab was opened, preflights left out. */
  readonly requests: readonly SentRequest[];
  /** Lines that the page wrote to its console. */
  readonly consoleLines: readonly string[];
  cdp<T>(method: string, parameters?: Record<string, unknown>): Promise<T>;
  /** A PNG of the tab. */
  screenshot(): Promise<Blob>;
  /** @throws where the page left an error uncaught: no test passes over one */
  close(): void;
};

/** Opens an empty tab; the browser starts with the first. A closed tab is emptied and used again: a new one is slow. */
export async function openTab(size: Size = { width: 800, height: 600 }): Promise<Tab> {
  const view = await acquireView(size);
  const { requests, uncaught, consoleLines } = view.beginVisit();
  const { evaluate } = view;
  return {
    goto: view.navigate,
    evaluate,
    async until(expression) {
      for (let isSo: boolean | undefined; isSo !== false; ) {
        isSo = await evaluate<boolean>(waiting(expression)).catch(whereNavigated);
        if (isSo) return;
      }
      throw new Error(`still false after ${PATIENCE_MS} ms: ${expression}\n${consoleLines.join('\n')}`);
    },
    async click(expression) {
      const middle = await evaluate<{ x: number; y: number }>(middleOf(expression));
      await view.click(middle.x, middle.y);
    },
    press: view.press,
    requests,
    consoleLines,
    cdp: view.cdp,
    screenshot: view.screenshot,
    close() {
      releaseView(view);
      if (uncaught.length > 0) throw new Error(`uncaught in the page: ${uncaught.join('\n')}`);
    },
  };
}

/** A page that goes away takes the look at it along; then the next page is looked at. */
function whereNavigated(cause: unknown): undefined {
  if (String(cause).includes('navigated')) return undefined;
  throw cause;
}

/** A page's clock may be turned by its test, so patience is counted in frames of about 16 ms. */
function waiting(expression: string): string {
  return `new Promise((resolve) => {
    let frames = ${PATIENCE_MS / 16};
    const look = () => {
      if (${expression}) resolve(true);
      else if (frames-- < 0) resolve(false);
      else requestAnimationFrame(look);
    };
    look();
  })`;
}

function middleOf(expression: string): string {
  return `((element) => {
    element.scrollIntoView({ block: 'nearest' });
    const { x, y, width, height } = element.getBoundingClientRect();
    return { x: x + width / 2, y: y + height / 2 };
  })(${expression})`;
}
