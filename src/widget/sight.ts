/**
 * Whether what is around a widget is laid out: a form with `display: none`, or in a closed dialog, is not. Also where the
 * page is in sight. Work that nobody can see the end of waits.
 */
export interface Sight {
  /** Runs it at once where the widget is in sight, else when it is next; of several that wait the last one runs. */
  whenSeen(run: () => void): void;
  /** What waits is not wanted any more. */
  forget(): void;
  /** Looks at the surroundings from now on, or at nothing. */
  follow(surroundings: Element | null): void;
}

/** @param onHidden told when the surroundings go out of the layout */
export function createSight(onHidden: () => void): Sight {
  let target: Element | null = null;
  let isShown = true;
  let waiting: (() => void) | undefined;
  const observer = typeof ResizeObserver === 'function' ? new ResizeObserver(() => look()) : undefined;

  function look(): void {
    // A task of its own: what is told may change the layout, which observers must not.
    setTimeout(() => {
      const before = isShown;
      isShown = target === null || isLaidOut(target);
      if (before && !isShown) onHidden();
      if (isShown) proceed();
    }, 0);
  }

  function proceed(): void {
    const run = waiting;
    if (!run || document.visibilityState !== 'visible') return;
    waiting = undefined;
    run();
  }

  return {
    whenSeen(run) {
      waiting = run;
      isShown = target === null || isLaidOut(target);
      if (isShown) proceed();
    },
    forget() {
      waiting = undefined;
    },
    follow(surroundings) {
      if (surroundings === target) return;
      observer?.disconnect();
      document.removeEventListener('visibilitychange', look);
      target = surroundings;
      if (target === null) return;
      isShown = isLaidOut(target);
      document.addEventListener('visibilitychange', look);
      observer?.observe(target);
    },
  };
}

/** An element without a box of its own, whose children are shown, counts too. */
function isLaidOut(element: Element): boolean {
  return element.getClientRects().length > 0 || getComputedStyle(element).display === 'contents';
}
