import type { WidgetHandle } from './events.ts';
import { type Mount, mountOn, scriptUrl } from './mount.ts';
import { functionAt, type Options } from './options.ts';

const CLASS = 'postern-captcha';
/** Marks hosts of shadow roots with widgets, so that they are found when the page adds a host again. */
const HOST = 'posternHost';
const query = new URL(scriptUrl || 'about:blank').searchParams;
const isExplicit = query.get('render') === 'explicit';
const mounts = new WeakMap<Element, Mount>();
/** The widgets on the page, oldest first. */
const connected = new Set<Mount>();
const mountsByHost = new WeakMap<Element, Set<Mount>>();
const observed = new WeakSet<Node>();

/** Creates a widget in an element, or restores the existing one. */
function render(element: HTMLElement, options?: Options | null): WidgetHandle {
  const mount = findOrMount(element, options ?? {});
  mount.restore();
  track(mount);
  return mount.handle;
}

/** Adds the class, so that `renderAll` finds the element when the page adds it again. */
function findOrMount(element: HTMLElement, options: Options): Mount {
  const known = mounts.get(element);
  if (known) return known;
  const mount = mountOn(element, options, { connected, track });
  mounts.set(element, mount);
  element.classList.add(CLASS);
  mount.emitInit();
  return mount;
}

/** Observes the tree that contains the element and, if it is a shadow tree, all trees around it. */
function track(mount: Mount): void {
  let root = mount.handle.element().getRootNode();
  watch(root);
  while (root instanceof ShadowRoot) {
    const { host } = root;
    const known = mountsByHost.get(host) ?? new Set();
    mountsByHost.set(host, known.add(mount));
    if (host instanceof HTMLElement && host.dataset[HOST] === undefined) host.dataset[HOST] = '';
    root = host.getRootNode();
    watch(root);
  }
  mount.sync();
}

function watch(root: Node): void {
  if (observed.has(root)) return;
  observed.add(root);
  observer.observe(root, { childList: true, subtree: true });
}

/** With `render=explicit`, includes only elements that the page has rendered. */
function renderAll(): void {
  for (const element of document.querySelectorAll<HTMLElement>(`.${CLASS}`)) {
    if (!isExplicit || mounts.has(element)) track(findOrMount(element, {}));
  }
  for (const host of document.querySelectorAll('[data-postern-host]')) mountsByHost.get(host)?.forEach(track);
  for (const mount of connected) mount.sync();
}

function boot(): void {
  watch(document);
  renderAll();
  callOnload();
}

/**
 * Calls the page's function in a separate task: loaders expect the call after the script's `load` event, which fires in the
 * task that runs the script. A later script may define the function.
 */
function callOnload(): void {
  const name = query.get('onload');
  if (!name) return;
  setTimeout(() => {
    const found = functionAt(name);
    if (found) found();
    else window.addEventListener('load', () => functionAt(name)?.(), { once: true });
  });
}

const observer = new MutationObserver(renderAll);

// If a page loads this script twice, the first copy stays active.
const existing = (window as { readonly postern?: { readonly render?: unknown } }).postern;
if (typeof existing?.render === 'function') {
  callOnload();
} else {
  document.addEventListener('visibilitychange', () => {
    for (const { expiry } of connected) expiry.check();
  });
  // The visitor navigated back to the form, so the solutions have already been used.
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted) for (const { handle } of connected) handle.reset();
  });
  Object.assign(window, {
    postern: {
      render,
      start: (element: HTMLElement) => mounts.get(element)?.handle.execute(),
      reset: (element: HTMLElement) => mounts.get(element)?.handle.reset(),
      /** The first widget on the page. */
      get autoWidget() {
        return connected.values().next().value?.handle;
      },
    },
  });
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', boot);
  else boot();
}
