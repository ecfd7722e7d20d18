import { attempt } from './console.ts';
import { later } from './timers.ts';

/**
 * Detects whether the element around a widget is laid out (a form with `display: none`, in a closed dialog, or in closed details is
 * not), and whether the page is visible. Work waits until both are true.
 */
export interface Visibility {
  /** Calls the function as soon as the widget is visible. Replaces a function that is still waiting. */
  whenVisible(run: () => void): void;
  /** Removes the waiting function. */
  cancelWaiting(): void;
  /** Call this when the visibility of the page changes. */
  check(): void;
  /** Observes this element from now on; with null, nothing is visible. */
  watchElement(element: Element | null): void;
}

/** @param onHidden called when the element is no longer laid out */
export function createVisibility(onHidden: () => void): Visibility {
  let target: Element | null = null;
  let isShown = false;
  let waiting: (() => void) | undefined;
  let observer = attempt(() => new ResizeObserver(check));

  /** Without an observer, every element counts as laid out, because the work would wait forever. */
  const isTargetShown = () => target !== null && (!observer || attempt(() => isLaidOut(target)) !== false);

  function check(): void {
    // In a separate task, because callbacks may change the layout, and observers must not.
    later(0, () => {
      const before = isShown;
      isShown = isTargetShown();
      if (before && !isShown) onHidden();
      runWaiting();
    });
  }

  function runWaiting(): void {
    const run = waiting;
    if (!run || !isShown || attempt(() => document.visibilityState) === 'hidden') return;
    waiting = undefined;
    run();
  }

  return {
    whenVisible(run) {
      waiting = run;
      isShown = isTargetShown();
      runWaiting();
    },
    check,
    cancelWaiting() {
      waiting = undefined;
    },
    watchElement(element) {
      if (element === target) return;
      target = element;
      const isObserved = attempt(() => {
        observer?.disconnect();
        // All ancestors, because an element with no box or an inline box has no size that could change.
        for (let each = target; each && each !== document.body; each = parentOf(each))
          observer?.observe(each);
        return true;
      });
      if (!isObserved) observer = undefined;
      isShown = isTargetShown();
    },
  };
}

/** @returns the parent element; for a child of a shadow root, its host */
export function parentOf(element: Element): Element | null {
  const root = element.getRootNode();
  return element.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
}

/** An element with `display: contents` is laid out if its parent is. */
function isLaidOut(element: Element | null): boolean {
  let boxed = element;
  while (boxed && getComputedStyle(boxed).display === 'contents') boxed = parentOf(boxed);
  return boxed !== null && boxed.getClientRects().length > 0 && boxed.checkVisibility?.() !== false;
}
