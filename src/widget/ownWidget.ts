import { attempt } from './console.ts';
import { PLAIN_FIELD } from './field.ts';
import { callOnload, createRegistry, query } from './registry.ts';

/**
 * Renders the elements with a class, and defines the API for the page's scripts. If a page loads the script twice, the first one
 * stays in effect.
 *
 * @param names `global` is the name of the API's global variable
 */
export function installOwnWidget(names: {
  readonly cssClass: string;
  readonly fieldName: string;
  readonly eventPrefix: string;
  readonly global: string;
}): void {
  const { cssClass, global } = names;
  const existing: { readonly render?: unknown } | undefined = Reflect.get(window, global);
  if (typeof existing?.render === 'function') {
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
  const { render, find, handles, mayChange, boot } = createRegistry({ ...PLAIN_FIELD, ...names }, () => {
    if (!isExplicit) renderAll();
  });
  Object.assign(window, {
    [global]: {
      render,
      setup() {
        tried = new WeakSet();
        renderAll();
      },
      start: (element: HTMLElement) => find(element)?.execute(),
      reset: (element: HTMLElement) => find(element)?.reset(),
      /** The first widget on the page. */
      get autoWidget() {
        return handles()[0];
      },
    },
  });
  boot();
}
