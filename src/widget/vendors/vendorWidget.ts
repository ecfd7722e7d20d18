import { findInvalidField, type PageData } from '../../puzzle/pageData.ts';
import { addPageData, toUrlSafe } from '../../puzzle/solution.ts';
import type { WidgetHandle } from '../events.ts';
import type { Field, MountKind } from '../mount.ts';
import { createRegistry, query, type Registry } from '../registry.ts';
import type { WidgetEvent } from '../widget.ts';
import {
  createOptionReader,
  type OptionReader,
  reportException,
  type VendorOptions,
} from './vendorOptions.ts';

/** What distinguishes the vendors. */
export type Vendor = {
  /** The class of the vendor's elements. */
  readonly cssClass: string;
  /** The elements that are rendered automatically; by default, those of the class. */
  readonly selector?: string;
  readonly fieldName: string;
  readonly createField: () => Field;
  /** The vendor's documented sitekeys for tests, and the tokens that they return; an empty token is our own test solution. */
  readonly testSitekeys: { readonly [sitekey: string]: string };
  /** Sets the inner element's attributes from the widget's options. */
  readonly configure: (options: OptionReader, inner: HTMLElement) => void;
  /** The page's data, which the token carries. */
  readonly pageDataOf: (options: OptionReader) => PageData;
  /** Handles an event after the field has its value. */
  readonly onEvent: (widget: VendorWidget, event: WidgetEvent) => void;
};

/** A widget in the style of a vendor. */
export type VendorWidget = {
  readonly container: HTMLElement;
  readonly options: OptionReader;
  readonly handle: WidgetHandle;
  /** Replaces the action, for tokens of which the page chooses it later. */
  pageData: PageData;
  isRemoved: boolean;
  /** The calls of `execute` that have no result yet. */
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
  /** Starts a check with a new puzzle, or joins the one in progress. */
  readonly execute: (widget: VendorWidget) => Promise<string>;
  readonly find: (container: Element) => VendorWidget | undefined;
  readonly registry: Registry;
};

/** @param renderNew called for each new element of the vendor's class */
export function createVendorWidgets(
  vendor: Vendor,
  renderNew: (element: HTMLElement) => void,
): VendorWidgets {
  const byContainer = new WeakMap<Element, VendorWidget>();
  const byInner = new WeakMap<Element, VendorWidget>();
  const invalid = new WeakSet<Element>();
  const kind: MountKind = {
    // Not the class of our own widgets, because a page can load both scripts.
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
  const registry = createRegistry(kind, () => {
    for (const element of document.querySelectorAll<HTMLElement>(vendor.selector ?? `.${vendor.cssClass}`)) {
      if (!find(element) && !invalid.has(element)) tryRender(element);
    }
  });

  /** An element with invalid options must not prevent the others from being rendered. */
  function tryRender(element: HTMLElement): void {
    try {
      renderNew(element);
    } catch (error) {
      invalid.add(element);
      reportException(error);
    }
  }

  /** Pages empty a container to render it again. */
  function find(container: Element): VendorWidget | undefined {
    const widget = byContainer.get(container);
    const inner = widget?.handle.element();
    const isThere = inner && (isButton(container) ? inner.parentNode : container.contains(inner));
    return isThere ? widget : undefined;
  }

  function create(container: HTMLElement, given: VendorOptions): VendorWidget {
    const options = createOptionReader(container, given);
    const pageData = vendor.pageDataOf(options);
    const name = findInvalidField(pageData);
    if (name) throw new Error(`The parameter "${name}" is invalid: "${pageData[name]}"`);
    const inner = createInner(vendor, container, options);
    const waiting: Waiting[] = [];
    const widget = {
      container,
      options,
      handle: registry.render(inner),
      pageData,
      isRemoved: false,
      waiting,
    };
    byContainer.set(container, widget);
    byInner.set(inner, widget);
    listen(widget, vendor.onEvent);
    return widget;
  }

  return {
    create,
    registry,
    find,
    remove(widget) {
      widget.isRemoved = true;
      widget.handle.element().remove();
      byContainer.delete(widget.container);
      for (const { reject } of widget.waiting) reject({ kind: 'reset' });
    },
    execute,
  };
}

/** Passes the events of a widget on, unless the page has removed it. */
function listen(widget: VendorWidget, onEvent: Vendor['onEvent']): void {
  for (const kind of ['finish', 'error', 'reset'] as const) {
    widget.handle.element().addEventListener(`postern:${kind}`, ({ detail }: CustomEventInit) => {
      if (widget.isRemoved) return;
      // A callback may execute the widget again.
      const waiting = widget.waiting.splice(0);
      const event: WidgetEvent = { ...detail, kind };
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

/** Creates the element of our own widget in a vendor's container. */
function createInner(vendor: Vendor, container: HTMLElement, options: OptionReader): HTMLElement {
  const inner = document.createElement('div');
  const sitekey = options.text('sitekey');
  inner.dataset.sitekey = Object.keys(vendor.testSitekeys).includes(sitekey) ? TEST_SITEKEY : sitekey;
  inner.dataset.lang = options.text('hl') || options.text('language') || query.get('hl') || '';
  inner.dataset.holdSubmit = options.text('hold-submit');
  vendor.configure(options, inner);
  place(container, inner);
  return inner;
}

/** Places the inner element in the container; after it, if the container is a button, whose content stays. */
function place(container: HTMLElement, inner: HTMLElement): void {
  if (isButton(container)) container.after(inner);
  else container.append(inner);
}

/**
 * Reads the parameters of `render`. A page may leave the container out; then a new element at the end of the page is used.
 *
 * @returns the container, or null if it is unknown, and the options
 */
export function readRender(target: unknown, options?: VendorOptions): [HTMLElement | null, VendorOptions] {
  if (typeof target === 'string') return [document.getElementById(target), options ?? {}];
  if (isOptions(target)) return [document.body.appendChild(document.createElement('div')), target];
  return [(target ?? null) as HTMLElement | null, options ?? {}];
}

function isOptions(target: unknown): target is VendorOptions {
  return typeof target === 'object' && target !== null && !('nodeType' in target);
}

/** @returns the first widget on the page, for calls without an id; pages can remove elements without telling the vendor's script */
export function firstOf(widgets: Iterable<VendorWidget>): VendorWidget | undefined {
  const all = [...widgets];
  return all.find(({ container }) => container.isConnected) ?? all[0];
}

export function isButton(element: Element): boolean {
  return element.matches('button, input');
}
