import { callOnload, query } from '../registry.ts';
import { scriptUrl } from '../scriptUrl.ts';
import { bindButton } from './boundButton.ts';
import { createTextarea, setInvisible, setTheme } from './fields.ts';
import { createTokenCache } from './tokenCache.ts';
import type { VendorOptions } from './vendorOptions.ts';
import {
  createVendorWidgets,
  firstOf,
  isButton,
  readRender,
  type Vendor,
  type VendorWidget,
} from './vendorWidget.ts';

/** Entry point of `/recaptcha/api.js` and `/recaptcha/enterprise.js` (v2, v2 invisible, and v3). */

type Grecaptcha = {
  ready?: (run: () => void) => void;
  /** The v3 sitekeys in the page's script URLs. Only Postern's API has this property. */
  posternKeys?: string[];
  enterprise?: object;
};
/** reCAPTCHA's documented queue for pages that need `grecaptcha.ready` before the script is loaded. */
type Config = { readonly fns?: readonly (() => void)[] };
type Globals = { grecaptcha?: Grecaptcha; ___grecaptcha_cfg?: Config };

const page = window as Globals;
const FIELD = 'g-recaptcha-response';
/** `explicit`, `onload`, or a v3 sitekey. */
const renderMode = query.get('render') || 'onload';
const isImplicit = renderMode === 'onload';
const v3Keys: string[] = page.grecaptcha?.posternKeys ?? [];
if (!isImplicit && renderMode !== 'explicit') v3Keys.push(renderMode);

const VENDOR: Vendor = {
  cssClass: 'g-recaptcha',
  fieldName: FIELD,
  createField: createTextarea(FIELD),
  // reCAPTCHA's test secret accepts every token, so Postern's own test solution is sufficient.
  testSitekeys: { '6LeIxAcTAAAAAJcZVRqyHh71UMIEGNQ_MXjiZKhI': '' },
  configure(options, inner) {
    setTheme(options, inner, 'light');
    // After the token expires, the visitor has to start the check again.
    inner.dataset.refreshExpired = 'manual';
    if (options.text('size') === 'invisible') setInvisible(inner);
  },
  pageDataOf(options) {
    const action = options.text('action');
    return action ? { action } : {};
  },
  onEvent({ options, handle }, event) {
    if (event.kind === 'finish') options.call('callback', handle.solution());
    if (event.kind === 'error') options.call('error-callback');
    if (event.kind === 'reset' && event.expired) options.call('expired-callback');
  },
};

function install(): void {
  const widgets: VendorWidget[] = [];
  const hidden = new Map<string, VendorWidget>();
  const cache = createTokenCache();

  const { create, execute, findUnchanged, registry } = createVendorWidgets(VENDOR, (element) => {
    // Some backends for v3 render hidden inputs with this class, which the page's own code fills.
    if (isImplicit && !element.matches('input[type=hidden]')) render(element);
  });

  /** @returns the widget's id: 0 for the first one @throws Error if the container is unknown or already has a widget */
  function render(target: unknown, given?: VendorOptions): number {
    const [container, options] = readRender(target, given);
    if (!container) throw new Error('reCAPTCHA placeholder element must be an element or id');
    if (findUnchanged(container)) throw new Error('reCAPTCHA has already been rendered in this element');
    const isBound = isButton(container);
    // Only pages that use v3 omit the container.
    const isInvisible = isBound || options === target;
    const widget = create(container, isInvisible ? { ...options, size: 'invisible' } : options);
    if (isBound) bindButton(container, widget, execute);
    return widgets.push(widget) - 1;
  }

  const widgetOf = (id: unknown) =>
    id === undefined || id === null ? firstOf(widgets) : widgets[Number(id)];

  /** @returns the sitekey's widget for v3 tokens, which is invisible and outside every form */
  function hiddenWidget(sitekey: string): VendorWidget {
    const known = hidden.get(sitekey);
    if (known?.container.isConnected) return known;
    const container = document.createElement('div');
    (document.body ?? document.documentElement).append(container);
    const widget = create(container, { sitekey, size: 'invisible' });
    hidden.set(sitekey, widget);
    return widget;
  }

  /** v2: starts a widget's check. v3: requests a token for an action. @param target a sitekey (v3) or a widget's id */
  function executeAny(target?: unknown, options?: { readonly action?: string }): Promise<string> {
    const isKey = typeof target === 'string' && !/^\d{1,4}$/.test(target);
    if (isKey && !v3Keys.includes(target))
      return reject(`The sitekey is unknown, or its script is not loaded: ${target}`);
    const widget = isKey ? hiddenWidget(target) : widgetOf(target);
    if (!widget) return reject('No reCAPTCHA clients exist.');
    if (!isKey && !options) return markHandled(execute(widget));
    const action = options?.action ?? '';
    if (!/^[\w/-]{0,100}$/.test(action))
      return reject('Invalid action name, may only include "A-Za-z0-9/_-"');
    const request = () => {
      widget.pageData = { action };
      return execute(widget);
    };
    return markHandled(cache.token(widget, action, request));
  }

  // Asynchronous and in the order of the calls, as pages expect.
  const ready = (run: () => void) => void Promise.resolve().then(run);
  const api = {
    ready,
    render,
    reset: (id?: unknown) => widgetOf(id)?.handle.reset(),
    getResponse: (id?: unknown) => widgetOf(id)?.handle.solution() ?? '',
    execute: executeAny,
  };
  const isEnterprise = scriptUrl.includes('/enterprise.');
  page.grecaptcha = {
    ...api,
    ...(isEnterprise ? { enterprise: api } : {}),
    posternKeys: v3Keys,
  };
  for (const run of page.___grecaptcha_cfg?.fns ?? []) ready(run);
  registry.boot();
}

/** Prevents an unhandled rejection: errors of `execute` are also events, so the page need not handle the promise. */
function markHandled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

function reject(message: string): Promise<never> {
  return markHandled(Promise.reject(new Error(message)));
}

// If a page loads the script twice, the first one stays in effect.
if (page.grecaptcha?.posternKeys) callOnload();
else install();
