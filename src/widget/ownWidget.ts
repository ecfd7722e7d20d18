import { attempt } from './console.ts';
import { PLAIN_FIELD } from './field.ts';
import type { PageApi } from './pageApi.ts';
import { callOnload, createRegistry, query } from './registry.ts';

/**
 * Renders the elements with a class, and defines the API for the page's scripts. If a page loads the script twice, the first one
 * stays in effect.
 *
 * @param cssClass the name of the field is the class and `-solution`
 * @param global the name of the API's global variable; in lowercase, the prefix of the events
 */
export function installOwnWidget(cssClass: string, global: string): void {
  const page = window as unknown as { [name: string]: { readonly [name: string]: unknown } | undefined };
  if (typeof page[global]?.render === 'function') {
    callOnload();
    return;
  }
  const isExplicit = query.get('render') === 'explicit';
  let tried = new WeakSet<Element>();
  const renderAll = () => {
    for (const element of document.querySelectorAll<HTMLElement>(`.${cssClass}`)) {
      if (tried.has(element) || !mayChange()) continue;
      // After an exception, another attempt would change the page again, which would lead to the next attempt.
      tried.add(element);
      attempt(() => render(element));
    }
  };
  const { render, find, handles, mayChange, boot } = createRegistry(
    { ...PLAIN_FIELD, cssClass, fieldName: `${cssClass}-solution`, eventPrefix: global.toLowerCase() },
    () => {
      if (!isExplicit) renderAll();
    },
  );
  page[global] = {
    render,
    setup() {
      tried = new WeakSet();
      renderAll();
    },
    start: (element: HTMLElement) => find(element)?.execute(),
    reset: (element: HTMLElement) => find(element)?.reset(),
    get autoWidget() {
      return handles()[0];
    },
  } satisfies PageApi as never;
  boot();
}
