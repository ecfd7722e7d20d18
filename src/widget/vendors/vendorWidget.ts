import { addPageData, findInvalidField, type PageData, toUrlSafe } from '../../puzzle/solution.ts';
import { markReported } from '../console.ts';
import type { Field, MountKind } from '../field.ts';
import type { WidgetHandle } from '../pageApi.ts';
import { createRegistry, query, type Registry } from '../registry.ts';
import type { WidgetEvent } from '../widget.ts';
import {
  createOptionReader,
  type OptionReader,
  reportException,
  type VendorOptions,
} from './vendorOptions.ts';

/** The properties in which the vendors differ. */
export type Vendor = {
  /** The class of the vendor's elements. */
  readonly cssClass: string;
  /** The elements that are rendered automatically; by default, those of the class. */
  readonly selector?: string;
  readonly fieldName: string;
  readonly createField: () => Field;
  /** Creates the field that backends for reCAPTCHA read; missing if the page does not want one. */
  readonly createSecondField?: () => Field;
  /** The vendor's test sitekeys and their tokens. An empty token stands for Postern's own test solution. */
  readonly testSitekeys: { readonly [sitekey: string]: string };
  /** Sets the inner element's attributes from the widget's options. */
  readonly configure: (options: OptionReader, inner: HTMLElement) => void;
  /** Reads the page's data for the token. */
  readonly pageDataOf: (options: OptionReader) => PageData;
  /** Returns `this` of the page's functions; undefined by default. */
  readonly selfOf?: (inner: HTMLElement) => unknown;
  /** Handles an event after the field has its value. */
  readonly onEvent: (widget: VendorWidget, event: WidgetEvent) => void;
};

/** A widget that replaces a vendor's widget. */
export type VendorWidget = {
  readonly container: HTMLElement;
  readonly options: OptionReader;
  readonly handle: WidgetHandle;
  readonly second: Field | undefined;
  /** The page's data for the next token. In reCAPTCHA v3, each call of `execute` sets its action. */
  pageData: PageData;
  isRemoved: boolean;
  /** Whether the page has removed the inner element from its container, and the script has added it again. */
  isRestored: boolean;
  /** The pending calls of `execute`. */
  readonly waiting: Waiting[];
};

export type Waiting = {
  readonly resolve: (token: string) => void;
  readonly reject: (reason: unknown) => void;
};

export type VendorWidgets = {
  /** @throws Error if the page's data is invalid */
  readonly create: (container: HTMLElement, options: VendorOptions) => VendorWidget;
  readonly remove: (widget: VendorWidget) => void;
  /** Starts a check with a new puzzle, or waits for the check in progress. @returns the token */
  readonly execute: (widget: VendorWidget) => Promise<string>;
  /** @returns the container's widget */
  readonly find: (container: Element) => VendorWidget | undefined;
  /** @returns the container's widget, unless the page has emptied the container, perhaps to render it again */
  readonly findUnchanged: (container: Element) => VendorWidget | undefined;
  readonly registry: Registry;
};

/** @param renderNew called for each new element with the vendor's class */
export function createVendorWidgets(
  vendor: Vendor,
  renderNew: (element: HTMLElement) => void,
): VendorWidgets {
  const byContainer = new WeakMap<Element, VendorWidget>();
  const byInner = new WeakMap<Element, VendorWidget>();
  const invalid = new WeakSet<Element>();
  /** The widgets whose containers were on the page at the last change. */
  const placed = new Set<VendorWidget>();
  const kind: MountKind = {
    // Differs from the class of Postern's own widgets, because a page can load both scripts.
    cssClass: `postern-${vendor.cssClass}`,
    fieldName: vendor.fieldName,
    eventPrefix: 'postern',
    createField: vendor.createField,
    toToken(solution, inner) {
      const widget = byInner.get(inner);
      return (
        vendor.testSitekeys[widget?.options.text('sitekey') ?? ''] ||
        toUrlSafe(addPageData(solution, widget?.pageData ?? {}))
      );
    },
  };
  const registry = createRegistry(kind, ({ mayChange }) => {
    restoreWidgets(placed, byContainer, mayChange);
    for (const element of document.querySelectorAll<HTMLElement>(vendor.selector ?? `.${vendor.cssClass}`)) {
      if (!byContainer.has(element) && !invalid.has(element) && mayChange()) tryRender(element);
    }
  });

  /** An element with invalid options must not prevent the others from being rendered. */
  function tryRender(element: HTMLElement): void {
    try {
      renderNew(element);
    } catch (error) {
      invalid.add(element);
      reportOnly(error);
    }
  }

  function find(container: Element): VendorWidget | undefined {
    const widget = byContainer.get(container);
    return widget && isPlaced(widget) ? widget : undefined;
  }

  function findUnchanged(container: Element): VendorWidget | undefined {
    const widget = find(container);
    return widget?.isRestored ? undefined : widget;
  }

  function create(container: HTMLElement, given: VendorOptions): VendorWidget {
    const options = createOptionReader(container, given, () => vendor.selfOf?.(inner));
    const pageData = vendor.pageDataOf(options);
    const name = findInvalidField(pageData);
    if (name) throw new Error(`The parameter "${name}" is invalid: "${pageData[name]}"`);
    const previous = byContainer.get(container);
    if (previous) remove(previous);
    const [inner, second] = [createInner(vendor, options), vendor.createSecondField?.()];
    place(container, [inner, second]);
    const widget: VendorWidget = {
      container,
      options,
      handle: registry.render(inner, { ...inner.dataset }),
      second,
      pageData,
      isRemoved: false,
      isRestored: false,
      waiting: [],
    };
    byContainer.set(container, widget);
    byInner.set(inner, widget);
    placed.add(widget);
    listen(widget, vendor.onEvent);
    return widget;
  }

  function remove(widget: VendorWidget): void {
    widget.isRemoved = true;
    for (const part of partsOf(widget)) part?.remove();
    placed.delete(widget);
    byContainer.delete(widget.container);
    for (const { reject } of widget.waiting) reject({ kind: 'reset' });
  }

  return { create, registry, find, findUnchanged, remove, execute };
}

/** Marks a container, so that it is found if the page removes it and adds it again. */
const MARK = 'data-postern-container';

/** Adds parts that the page has removed to their containers. */
function restoreWidgets(
  placed: Set<VendorWidget>,
  byContainer: WeakMap<Element, VendorWidget>,
  mayChange: () => boolean,
): void {
  for (const container of document.querySelectorAll(`[${MARK}]`)) {
    const widget = byContainer.get(container);
    if (widget) placed.add(widget);
  }
  for (const widget of placed) {
    const { container } = widget;
    // Libraries that morph the page remove the mark.
    container.toggleAttribute(MARK, true);
    if (!container.isConnected) placed.delete(widget);
    else if (!partsOf(widget).every((part) => isIn(container, part)) && mayChange()) {
      if (!isPlaced(widget)) widget.isRestored = true;
      place(container, partsOf(widget));
    }
  }
}

type Part = HTMLElement | undefined;

const partsOf = ({ handle, second }: VendorWidget): readonly Part[] => [handle.element(), second];

const isPlaced = ({ container, handle }: VendorWidget) => isIn(container, handle.element());

function isIn(container: HTMLElement, part: Part): boolean {
  if (!part) return true;
  return isButton(container) ? part.parentNode !== null : container.contains(part);
}

/** Forwards the widget's events and settles the pending calls, unless the page has removed the widget. */
function listen(widget: VendorWidget, onEvent: Vendor['onEvent']): void {
  for (const kind of ['finish', 'error', 'reset'] as const) {
    widget.handle.element().addEventListener(`postern:${kind}`, ({ detail }: CustomEventInit) => {
      if (widget.isRemoved) return;
      // A callback may call `execute` again.
      const waiting = widget.waiting.splice(0);
      const event: WidgetEvent = { ...detail, kind };
      if (widget.second) widget.second.value = widget.handle.solution();
      onEvent(widget, event);
      for (const { resolve, reject } of waiting) {
        if (kind === 'finish') resolve(widget.handle.solution());
        else reject(event);
      }
    });
  }
}

function execute({ handle, waiting }: VendorWidget): Promise<string> {
  // The page may have sent the solution, which is accepted only once.
  if (handle.state() === 'verified') handle.reset();
  return new Promise((resolve, reject) => {
    waiting.push({ resolve, reject });
    handle.execute();
  });
}

const TEST_SITEKEY = 'aaaaaaaabbbbccccddddeeeeeeeeeeee';

/** Creates the element of Postern's widget for the vendor's container. */
function createInner(vendor: Vendor, options: OptionReader): HTMLElement {
  const inner = document.createElement('div');
  const sitekey = options.text('sitekey');
  inner.dataset.sitekey = Object.keys(vendor.testSitekeys).includes(sitekey) ? TEST_SITEKEY : sitekey;
  const pageLanguage = query.get('hl') || query.get('language') || '';
  inner.dataset.lang = options.text('hl') || options.text('language') || pageLanguage;
  inner.dataset.holdSubmit = options.text('hold-submit');
  inner.dataset.branding = options.text('branding');
  inner.dataset.privacyUrl = options.text('privacy-url');
  vendor.configure(options, inner);
  return inner;
}

/** Inserts the parts into the container or, if the container is a button, after the button, which keeps its content. */
function place(container: HTMLElement, parts: readonly Part[]): void {
  const present = parts.filter((part) => part !== undefined);
  if (isButton(container)) container.after(...present);
  else container.append(...present);
}

/**
 * Reads the parameters of `render`. If the page omits the container, adds a new element at the end of the page.
 *
 * @returns the container (null if it is unknown) and the options
 */
export function readRender(target: unknown, options?: VendorOptions): [HTMLElement | null, VendorOptions] {
  if (typeof target === 'string') return [document.getElementById(target), options ?? {}];
  if (isOptions(target)) return [document.body.appendChild(document.createElement('div')), target];
  return [(target ?? null) as HTMLElement | null, options ?? {}];
}

function isOptions(target: unknown): target is VendorOptions {
  return typeof target === 'object' && target !== null && !('nodeType' in target);
}

/** @returns the first widget on the page, for calls without an id; pages can remove elements without calling `remove` */
export function firstOf(widgets: Iterable<VendorWidget>): VendorWidget | undefined {
  const all = [...widgets];
  return all.find(({ container }) => container.isConnected) ?? all[0];
}

export function isButton(element: Element): boolean {
  return element.matches('button, input');
}

/** Reports an error to the page, and no later exceptions of the script, which probably have the same cause. */
function reportOnly(error: unknown): void {
  markReported();
  reportException(error);
}
