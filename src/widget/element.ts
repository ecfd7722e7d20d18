import type { WidgetHandle } from './events.ts';
import { type Mount, mountOn, scriptUrl } from './mount.ts';
import { functionAt, type Options } from './options.ts';

const CLASS = 'postern-captcha';
/** Marks the hosts of shadow roots with widgets, so that these are found again when a host comes back. */
const HOST = 'posternHost';
const query = new URL(scriptUrl || 'about:blank').searchParams;
const isExplicit = query.get('render') === 'explicit';
const mounts = new WeakMap<Element, Mount>();
/** Those on the page, oldest first. */
const live = new Set<Mount>();
const inside = new WeakMap<Element, Set<Mount>>();
const observed = new WeakSet<Node>();

/** Makes a widget of one element, once; of one that was emptied, it fills it again. */
function render(element: HTMLElement, options?: Options | null): WidgetHandle {
  const mount = find(element, options ?? {});
  mount.revive();
  attend(mount);
  return mount.handle;
}

/** By its class the element is found when it comes back. */
function find(element: HTMLElement, options: Options): Mount {
  const known = mounts.get(element);
  if (known) return known;
  const mount = mountOn(element, options, { live, attend });
  mounts.set(element, mount);
  element.classList.add(CLASS);
  mount.greet();
  return mount;
}

/** Looks where the element is now, and watches what is around it, through all shadow roots. */
function attend(mount: Mount): void {
  let root = mount.handle.element().getRootNode();
  watch(root);
  while (root instanceof ShadowRoot) {
    const { host } = root;
    const known = inside.get(host) ?? new Set();
    inside.set(host, known.add(mount));
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

/** Those that wait for the page's own call are left alone, until they have had it. */
function renderAll(): void {
  for (const element of document.querySelectorAll<HTMLElement>(`.${CLASS}`)) {
    if (!isExplicit || mounts.has(element)) attend(find(element, {}));
  }
  for (const host of document.querySelectorAll('[data-postern-host]')) inside.get(host)?.forEach(attend);
  for (const mount of live) mount.sync();
}

function boot(): void {
  watch(document);
  renderAll();
  tellLoaded();
}

/**
 * Calls the page's function in a separate task: loaders expect the call after the script's `load` event, which fires in the
 * task that runs the script. A later script may define the function.
 */
function tellLoaded(): void {
  const name = query.get('onload');
  if (!name) return;
  setTimeout(() => {
    const found = functionAt(name);
    if (found) found();
    else window.addEventListener('load', () => functionAt(name)?.(), { once: true });
  });
}

const observer = new MutationObserver(renderAll);

// Where a page loads this script twice, the first rules.
const before = (window as { readonly postern?: { readonly render?: unknown } }).postern;
if (typeof before?.render === 'function') {
  tellLoaded();
} else {
  document.addEventListener('visibilitychange', () => {
    for (const { expiry } of live) expiry.check();
  });
  // Back from the page that the form led to: those solutions are spent.
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted) for (const { handle } of live) handle.reset();
  });
  Object.assign(window, {
    postern: {
      render,
      start: (element: HTMLElement) => mounts.get(element)?.handle.execute(),
      reset: (element: HTMLElement) => mounts.get(element)?.handle.reset(),
      /** The first widget of the page. */
      get autoWidget() {
        return live.values().next().value?.handle;
      },
    },
  });
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', boot);
  else boot();
}
