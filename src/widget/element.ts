import type { WidgetHandle } from './events.ts';
import { type Mount, mountOn, scriptUrl } from './mount.ts';
import { functionAt, type Options } from './options.ts';

const CLASS = 'postern-captcha';
const query = new URL(scriptUrl || 'about:blank').searchParams;
const isExplicit = query.get('render') === 'explicit';
const mounts = new WeakMap<Element, Mount>();
/** Those on the page, oldest first. */
const live = new Set<Mount>();

/**
 * Makes a widget of one element, once; of an element that was taken from the page and put back, it wakes it up.
 * By its class the element is found when it comes back.
 */
function render(element: HTMLElement, options: Options = {}): WidgetHandle {
  const known = mounts.get(element);
  const mount = known ?? mountOn(element, options, live);
  mounts.set(element, mount);
  if (!known) mount.greet();
  element.classList.add(CLASS);
  observer.observe(element.getRootNode(), { childList: true, subtree: true });
  mount.sync();
  return mount.handle;
}

/** Those that wait for the page's own call are left alone, until they have had it. */
function renderAll(): void {
  for (const element of document.querySelectorAll<HTMLElement>(`.${CLASS}`)) {
    if (!isExplicit || mounts.has(element)) render(element);
  }
  for (const mount of live) mount.sync();
}

function boot(): void {
  observer.observe(document, { childList: true, subtree: true });
  renderAll();
  const onload = query.get('onload');
  if (onload) functionAt(onload)?.();
}

const observer = new MutationObserver(renderAll);

// Where a page loads this script twice, the first rules.
const before = (window as { readonly postern?: { readonly render?: unknown } }).postern;
if (typeof before?.render !== 'function') {
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
