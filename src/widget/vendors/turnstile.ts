import { type Field, PLAIN_FIELD } from '../field.ts';
import { callOnload, query } from '../registry.ts';
import type { WidgetEvent } from '../widget.ts';
import { reportException, setTheme, type VendorOptions } from './vendorOptions.ts';
import { createVendorWidgets, firstOf, type Vendor, type VendorWidget } from './vendorWidget.ts';

/** Entry point of `/turnstile/v0/api.js`. */

type Target = string | HTMLElement | null | undefined;
type Api = { readonly isExpired?: unknown };
const page = window as { turnstile?: Api; grecaptcha?: unknown };

const COMPATIBLE_FIELD = 'g-recaptcha-response';
const isExplicit = query.get('render') === 'explicit';
const isCompatible = query.get('compat') === 'recaptcha';

/** The token of the test sitekeys. */
const DUMMY_TOKEN = 'XXXX.DUMMY.TOKEN.XXXX';
/** The test sitekey whose check the visitor starts. */
const INTERACTIVE = '3x00000000000000000000FF';
/** The test sitekeys whose check always fails. */
const FAILING = ['2x00000000000000000000AB', '2x00000000000000000000BB'];
const RETRY_MS = 8000;

function install(): void {
  const widgets = new Map<string, VendorWidget>();
  const expired = new WeakSet<VendorWidget>();

  const { create, execute, find, findUnchanged, remove, registry } = createVendorWidgets(
    vendorWith(expired),
    (element) => {
      if (!isExplicit) render(element);
    },
  );

  /**
   * @returns the id of the new widget, or of the container's existing widget
   * @throws Error if the container is unknown or an option is invalid
   */
  function render(target: Target, options?: VendorOptions): string {
    const container = elementOf(target);
    if (!container) throw new Error(`[Turnstile] Unable to find a container for "${target}"`);
    const existing = findUnchanged(container);
    for (const [id, widget] of widgets) if (widget === existing) return id;
    const widget = create(container, options ?? {});
    const id = `cf-chl-widget-${crypto.getRandomValues(new Uint32Array(1))[0]?.toString(36)}`;
    widgets.set(id, widget);
    return id;
  }

  /** @param target the widget's id, its container, or a selector for the container; by default, the first widget */
  function widgetOf(target: Target): VendorWidget | undefined {
    if (target === undefined || target === null) return firstOf(widgets.values());
    const known = typeof target === 'string' ? widgets.get(target) : undefined;
    const container = known ? undefined : elementOf(target);
    return known ?? (container ? find(container) : undefined);
  }

  const api = {
    ready: (run: () => void) => void Promise.resolve().then(run),
    render,
    execute(target?: Target) {
      const widget = widgetOf(target);
      if (!widget) return;
      if (widget.options.text('appearance') === 'execute') setMode(widget, 'widget');
      execute(widget).catch(() => undefined);
    },
    reset: (target?: Target) => widgetOf(target)?.handle.reset(),
    remove(target?: Target) {
      const widget = widgetOf(target);
      for (const [id, candidate] of widgets) if (candidate === widget) widgets.delete(id);
      if (widget) remove(widget);
    },
    getResponse: (target?: Target) => widgetOf(target)?.handle.solution() || undefined,
    isExpired(target?: Target) {
      const widget = widgetOf(target);
      return widget !== undefined && expired.has(widget);
    },
  };
  page.turnstile = api;
  if (isCompatible && !page.grecaptcha) page.grecaptcha = api;
  registry.boot();
}

/** @param expired the widgets whose solution has expired */
function vendorWith(expired: WeakSet<VendorWidget>): Vendor {
  return {
    cssClass: 'cf-turnstile',
    ...(isCompatible ? { selector: '.cf-turnstile, .g-recaptcha' } : {}),
    // `configure` sets each widget's field name, which can be empty.
    fieldName: '',
    createField: PLAIN_FIELD.createField,
    ...(isCompatible ? { createSecondField } : {}),
    testSitekeys: {
      '1x00000000000000000000AA': DUMMY_TOKEN,
      '1x00000000000000000000BB': DUMMY_TOKEN,
      [INTERACTIVE]: DUMMY_TOKEN,
    },
    configure,
    // Odoo's functions find the form with it.
    selfOf: (wrapper) => ({ wrapper }),
    pageDataOf(options) {
      const [action, cData] = [options.text('action'), options.text('cData')];
      return { ...(action ? { action } : {}), ...(cData ? { cData } : {}) };
    },
    onEvent(widget, event) {
      const { options, handle } = widget;
      if (event.kind === 'reset' && event.expired) {
        expired.add(widget);
        options.call('expired-callback', '');
      }
      if (event.kind === 'finish') {
        expired.delete(widget);
        // The second argument: whether the visitor got a cookie for the vendor's other checks (pre-clearance).
        options.call('callback', handle.solution(), false);
      }
      if (event.kind === 'error') {
        callErrorCallback(widget, codeOf(widget, event));
        retryLater(widget);
      }
    },
  };
}

function configure(options: VendorWidget['options'], inner: HTMLElement): void {
  const { dataset } = inner;
  const sitekey = options.text('sitekey');
  const isManual = options.text('execution') === 'execute';
  const isHidden = options.text('size') === 'invisible' || sitekey.endsWith('BB');
  const appearance = options.text('appearance');
  setTheme(options, inner, 'auto');
  dataset.startMode = isManual || sitekey === INTERACTIVE ? 'click' : 'load';
  dataset.displayMode =
    isHidden || appearance === 'execute' || appearance === 'interaction-only' ? 'hidden' : 'widget';
  dataset.solutionField =
    options.text('response-field') === 'false'
      ? ''
      : options.text('response-field-name') || 'cf-turnstile-response';
  if (isManual) dataset.holdSubmit = 'false';
  if (['manual', 'never'].includes(options.text('refresh-expired'))) dataset.refreshExpired = 'manual';
  // Without a sitekey, the check fails.
  if (FAILING.includes(sitekey)) dataset.sitekey = '';
}

function setMode({ handle }: VendorWidget, displayMode: string): void {
  handle.reset({ displayMode });
}

/**
 * Calls the page's callback. A truthy result means that the page has handled the error; otherwise, logs a warning. Without a
 * callback, the browser reports an exception.
 *
 * @see https://developers.cloudflare.com/turnstile/troubleshooting/client-side-errors/
 */
function callErrorCallback({ options }: VendorWidget, code: string): void {
  const message = `[Turnstile] Error: ${code}`;
  if (!options.has('error-callback')) reportException(new Error(message));
  // biome-ignore lint/suspicious/noConsole: pages written for Turnstile expect the warning
  else if (!options.call('error-callback', code)) console.warn(message);
}

/** Starts the check again after a delay, unless the page has removed, started, or reset the widget in the meantime. */
function retryLater({ options, handle }: VendorWidget): void {
  if (options.text('retry') === 'never') return;
  const delay = Number(options.text('retry-interval')) || RETRY_MS;
  setTimeout(() => handle.state() === 'failed' && handle.execute(), delay);
}

/** @see https://developers.cloudflare.com/turnstile/troubleshooting/client-side-errors/error-codes/ */
function codeOf({ options }: VendorWidget, event: Extract<WidgetEvent, { kind: 'error' }>): string {
  if (FAILING.includes(options.text('sitekey'))) return '300030';
  switch (event.problem) {
    case 'puzzle-denied':
      return event.status === 403 ? '110200' : '110100';
    case 'sitekey-missing':
      return '110100';
    case 'service-unreachable':
    case 'policy-blocks':
      return '200500';
    case 'device-slow':
      return '110600';
    default:
      return '300010';
  }
}

function elementOf(target: Target): HTMLElement | null {
  if (typeof target !== 'string') return target ?? null;
  try {
    return document.querySelector<HTMLElement>(target) ?? document.getElementById(target);
  } catch {
    return document.getElementById(target);
  }
}

function createSecondField(): Field {
  const field = PLAIN_FIELD.createField();
  field.name = COMPATIBLE_FIELD;
  return field;
}

// If a page loads the script twice, the first one stays in effect.
if (page.turnstile?.isExpired) callOnload();
else install();
