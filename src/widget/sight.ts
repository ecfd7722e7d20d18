/**
 * Whether what is around a widget is laid out: a form with `display: none`, in a closed dialog or closed details, is not.
 * Also whether the page is in sight. Work that nobody can see the end of waits.
 */
export interface Sight {
  /** Runs it at once where the widget is in sight, else when it is next; of several that wait the last one runs. */
  whenSeen(run: () => void): void;
  /** What waits is not wanted any more. */
  forget(): void;
  /** Looks at the surroundings from now on, or at nothing: then nothing is in sight. */
  follow(surroundings: Element | null): void;
}

/** @param onHidden told when the surroundings go out of the layout */
export function createSight(onHidden: () => void): Sight {
  let target: Element | null = null;
  let isShown = false;
  let waiting: (() => void) | undefined;
  const observer = typeof ResizeObserver === 'function' ? new ResizeObserver(() => look()) : undefined;

  function look(): void {
    // A task of its own: what is told may change the layout, which observers must not.
    setTimeout(() => {
      const before = isShown;
      isShown = isLaidOut(target);
      if (before && !isShown) onHidden();
      proceed();
    }, 0);
  }

  function proceed(): void {
    const run = waiting;
    if (!run || !isShown || document.visibilityState !== 'visible') return;
    waiting = undefined;
    run();
  }

  return {
    whenSeen(run) {
      waiting = run;
      isShown = isLaidOut(target);
      proceed();
    },
    forget() {
      waiting = undefined;
    },
    follow(surroundings) {
      if (surroundings === target) return;
      observer?.disconnect();
      document.removeEventListener('visibilitychange', look);
      target = surroundings;
      isShown = isLaidOut(target);
      if (target === null) return;
      document.addEventListener('visibilitychange', look);
      // All that is around: what has no box of its own, or an inline one, has no size that could change.
      for (let one: Element | null = target; one && one !== document.body; one = parentOf(one)) {
        observer?.observe(one);
      }
    },
  };
}

/** The element around; of what is right inside a shadow root, its host. */
export function parentOf(element: Element): Element | null {
  const root = element.getRootNode();
  return element.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
}

/** An element without a box of its own is shown where what is around it is. */
function isLaidOut(element: Element | null): boolean {
  let boxed = element;
  while (boxed && getComputedStyle(boxed).display === 'contents') boxed = parentOf(boxed);
  return boxed !== null && boxed.getClientRects().length > 0 && boxed.checkVisibility?.() !== false;
}
