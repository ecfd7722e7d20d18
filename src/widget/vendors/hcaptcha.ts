import type { WidgetProblem } from '../i18n.ts';
import { callOnload, query } from '../registry.ts';
import type { WidgetEvent } from '../widget.ts';
import { createTextarea, setInvisible, setTheme, type VendorOptions } from './vendorOptions.ts';
import {
  createVendorWidgets,
  firstOf,
  readRender,
  type Vendor,
  type VendorWidget,
  type VendorWidgets,
} from './vendorWidget.ts';

/** Entry point of `/1/api.js` and `/1/secure-api.js`. */

type ExecuteOptions = { readonly async?: boolean } | null;
type Api = { readonly getRespKey?: unknown };
const page = window as { hcaptcha?: Api; grecaptcha?: unknown };

const FIELD = 'h-captcha-response';
const COMPATIBLE_FIELD = 'g-recaptcha-response';
const isExplicit = query.get('render') === 'explicit';
const isCompatible = query.get('recaptchacompat') !== 'off';

/** @see https://docs.hcaptcha.com/configuration/#error-codes */
const ERROR_CODES: { readonly [problem in WidgetProblem]?: string } = {
  'service-busy': 'rate-limited',
  'puzzle-denied': 'invalid-data',
  'sitekey-missing': 'invalid-data',
  'endpoint-malformed': 'invalid-data',
  'solver-broken': 'internal-error',
  'puzzle-malformed': 'internal-error',
  'device-slow': 'challenge-expired',
};

const VENDOR: Vendor = {
  cssClass: 'h-captcha',
  fieldName: FIELD,
  createField: createTextarea(FIELD),
  ...(isCompatible ? { createSecondField: createTextarea(COMPATIBLE_FIELD) } : {}),
  testSitekeys: { '10000000-ffff-ffff-ffff-000000000001': '10000000-aaaa-bbbb-cccc-000000000001' },
  configure(options, inner) {
    setTheme(options, inner, 'light');
    inner.dataset.refreshExpired = 'manual';
    if (options.text('size') === 'invisible') setInvisible(inner);
  },
  pageDataOf: () => ({}),
  onEvent({ options, handle }, event) {
    if (event.kind === 'finish') options.call('callback', handle.solution());
    if (event.kind === 'error') options.call('error-callback', codeOf(event.problem));
    if (event.kind === 'reset' && event.expired) options.call('expired-callback');
  },
};

function install(): void {
  const widgets = new Map<string, VendorWidget>();
  const { create, execute, findUnchanged, remove, registry } = createVendorWidgets(VENDOR, (element) => {
    if (!isExplicit) render(element);
  });

  /** @returns the id of the new widget, or of the container's existing widget @throws Error if the container is unknown */
  function render(target: unknown, given?: VendorOptions): string {
    const [container, options] = readRender(target, given);
    if (!container) throw new Error(`[hCaptcha] Element with id "${target}" does not exist`);
    const existing = findUnchanged(container);
    for (const [id, widget] of widgets) if (widget === existing) return id;
    const widget = create(container, options);
    const id = `0${crypto.getRandomValues(new Uint32Array(2)).join('')}`;
    widgets.set(id, widget);
    return id;
  }

  /** @returns the widget with the id or, without an id, the first widget */
  const widgetOf = (id?: string | null) =>
    id === undefined || id === null ? firstOf(widgets.values()) : widgets.get(id);

  /** @param id the options, if the page omits the id */
  function executeAny(id?: string | ExecuteOptions, given?: ExecuteOptions) {
    if (id && typeof id === 'object') return executeAny(undefined, id);
    const promise = executeWidget(widgetOf(id), execute);
    promise.catch(() => undefined);
    return given?.async ? promise : undefined;
  }

  const reset = (id?: string) => widgetOf(id)?.handle.reset();
  const api = {
    render,
    execute: executeAny,
    reset,
    /** Ends the check in progress. */
    close: reset,
    remove(id?: string) {
      const widget = widgetOf(id);
      for (const [widgetId, candidate] of widgets) if (candidate === widget) widgets.delete(widgetId);
      if (widget) remove(widget);
    },
    getResponse: (id?: string) => widgetOf(id)?.handle.solution() ?? '',
    getRespKey: (id?: string) => respKeyOf(widgetOf(id)),
    /** Data for hCaptcha's risk analysis, which Postern does not have. */
    setData: () => undefined,
  };
  page.hcaptcha = api;
  if (isCompatible && !page.grecaptcha) {
    page.grecaptcha = {
      ...api,
      ready: (run: () => void) => void Promise.resolve().then(run),
      execute: (id?: string) => executeAny(id, { async: true })?.then(({ response }) => response),
    };
  }
  registry.boot();
}

/** @returns the token and its key @throws one of hCaptcha's error codes, as a string */
async function executeWidget(
  widget: VendorWidget | undefined,
  execute: VendorWidgets['execute'],
): Promise<{ readonly response: string; readonly key: string }> {
  if (!widget) throw 'missing-captcha';
  try {
    return { response: await execute(widget), key: respKeyOf(widget) };
  } catch (cause) {
    const event = cause as WidgetEvent;
    throw event.kind === 'error' ? codeOf(event.problem) : 'challenge-closed';
  }
}

/** @returns hCaptcha's id of a response, here derived from the token; empty if there is no token */
function respKeyOf(widget: VendorWidget | undefined): string {
  const token = widget?.handle.solution();
  return token ? `E0_${token.slice(0, 32)}` : '';
}

function codeOf(problem: WidgetProblem): string {
  return ERROR_CODES[problem] ?? 'network-error';
}

// If a page loads the script twice, the first one stays in effect.
if (page.hcaptcha?.getRespKey) callOnload();
else install();
