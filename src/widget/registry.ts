import { scriptUrl } from './buildFiles.ts';
import { attempt } from './console.ts';
import type { MountKind } from './field.ts';
import { type Mount, mountOn } from './mount.ts';
import { emit, functionAt, type Options, type WidgetHandle } from './pageApi.ts';
import { later } from './timers.ts';

const MAX_CHANGES = 300;

/** Only `childList` and `subtree`, so that changes of attributes do not call the observer. */
const OBSERVED = { childList: true, subtree: true };

export const query = new URL(scriptUrl || 'about:blank').searchParams;

/** The widgets of one script. */
export type Registry = {
  /** Creates a widget in an element, or restores the existing one. */
  render(element: HTMLElement, options?: Options | null): WidgetHandle;
  find(element: Element): WidgetHandle | undefined;
  /** The widgets on the page, oldest first. */
  handles(): readonly WidgetHandle[];
  /**
   * Counts a change of the page in response to a change. Another script may undo each change, in a loop that would never end, so a
   * script pauses for a second after 300 changes.
   *
   * @returns whether it is allowed; if not, `renderNew` is called again later
   */
  mayChange(): boolean;
  /** Renders the page's elements now, or as soon as the page is parsed, and again whenever the page changes. */
  boot(): void;
};

/**
 * @param kind of the widgets. Rendered elements get its class, so that the registry finds them when the page adds them again
 * @param renderNew renders new elements; called whenever the page has changed
 */
export function createRegistry(kind: MountKind, renderNew: (registry: Registry) => void): Registry {
  const mounts = new WeakMap<Element, Mount>();
  const connected = new Set<Mount>();
  /** The mounts of each element with the attribute `data-postern`. */
  const marked = new WeakMap<Element, Set<Mount>>();
  let changes = 0;
  const observer = attempt(() => new MutationObserver(update));

  function mayChange(): boolean {
    // The pause starts after the last change, so that the page gets its turn even if the changes took longer than the pause.
    if (changes++ === MAX_CHANGES)
      later(1000, () => {
        changes = 0;
        update();
      });
    return changes <= MAX_CHANGES;
  }

  /**
   * Observes the tree that contains the element and, if it is a shadow tree, all trees that contain it. Marks the element and the hosts of
   * these shadow trees, so that `update` finds them if the page removes them and adds them again.
   */
  function track(mount: Mount): void {
    attempt(() => {
      let element: Element = mount.handle.element();
      for (;;) {
        element.toggleAttribute('data-postern', true);
        marked.set(element, (marked.get(element) ?? new Set()).add(mount));
        const root = element.getRootNode();
        // Has no effect if the observer already observes the root.
        observer?.observe(root, OBSERVED);
        if (!(root instanceof ShadowRoot)) break;
        element = root.host;
      }
    });
    mount.sync();
  }

  function update(): void {
    attempt(() => {
      renderNew(registry);
      for (const element of document.querySelectorAll('[data-postern]')) marked.get(element)?.forEach(track);
      // Libraries that morph the page remove the mark.
      connected.forEach(track);
    });
  }

  function start(): void {
    attempt(() => observer?.observe(document, OBSERVED));
    update();
    callOnload();
  }

  const registry: Registry = {
    render(element, options) {
      let mount = mounts.get(element);
      if (!mount) {
        mount = mountOn(element, options, { connected, track, mayChange }, kind);
        mounts.set(element, mount);
        emit(mount.handle, kind.eventPrefix, { kind: 'init' });
      }
      mount.restore();
      track(mount);
      return mount.handle;
    },
    mayChange,
    find: (element) => mounts.get(element)?.handle,
    handles: () => [...connected].map(({ handle }) => handle),
    boot() {
      document.addEventListener('visibilitychange', () => {
        for (const { check } of connected) check();
      });
      window.addEventListener('online', () => {
        for (const { resume } of connected) resume();
      });
      // The visitor has navigated back to the form, so the solutions have already been used.
      window.addEventListener('pageshow', ({ persisted }) => {
        if (persisted) for (const { handle } of connected) handle.reset();
      });
      if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', start);
      else start();
    },
  };
  return registry;
}

/**
 * Calls the page's `onload` function in a separate task: loaders expect the call after the script's `load` event, which fires in
 * the task that runs the script. Waits until the function is defined: a component defines it when it is mounted, which can be long after
 * the page has loaded the script.
 *
 * @param delay in milliseconds
 */
export function callOnload(delay = 0): void {
  const name = query.get('onload');
  if (!name) return;
  later(delay, () => {
    const found = functionAt(name);
    if (found) found();
    else callOnload(500);
  });
}
