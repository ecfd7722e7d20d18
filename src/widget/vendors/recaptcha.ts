import { scriptUrl } from '../mount.ts';
import { callOnload, query } from '../registry.ts';
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

/** The entry of `/recaptcha/api.js` and `/recaptcha/enterprise.js` (v2, v2 invisible, and v3). */

type Grecaptcha = {
  ready?: (run: () => void) => void;
  /** The sitekeys of v3 that the page has loaded; only our own API has it. */
  posternKeys?: string[];
  enterprise?: object;
};
/** The documented queue of pages that call `grecaptcha.ready` before the script is loaded. */
type Config = { readonly fns?: readonly (() => void)[] };
type Globals = { grecaptcha?: Grecaptcha; ___grecaptcha_cfg?: Config };

const page = window as Globals;
const FIELD = 'g-recaptcha-response';
/** `explicit`, `onload`, or the sitekey of v3. */
const renderMode = query.get('render') || 'onload';
const isImplicit = renderMode === 'onload';
const v3Keys: string[] = page.grecaptcha?.posternKeys ?? [];
if (!isImplicit && renderMode !== 'explicit') v3Keys.push(renderMode);

const VENDOR: Vendor = {
  cssClass: 'g-recaptcha',
  fieldName: FIELD,
  createField: createTextarea(FIELD),
  // The secret for tests accepts our own test solution.
  testSitekeys: { '6LeIxAcTAAAAAJcZVRqyHh71UMIEGNQ_MXjiZKhI': '' },
  configure(options, inner) {
    setTheme(options, inner, 'light');
    // After the check expired, the visitor has to start it again.
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

  const { create, execute, find, registry } = createVendorWidgets(VENDOR, (element) => {
    // Backends for v3 fill hidden inputs of this class themselves.
    if (isImplicit && !element.matches('input[type=hidden]')) render(element);
  });

  /** @returns the widget's id, from 0 @throws Error if the container is unknown or already has a widget */
  function render(target: unknown, given?: VendorOptions): number {
    const [container, options] = readRender(target, given);
    if (!container) throw new Error('reCAPTCHA placeholder element must be an element or id');
    if (find(container)) throw new Error('reCAPTCHA has already been rendered in this element');
    const isBound = isButton(container);
    // Only pages that use v3 leave the container out.
    const isInvisible = isBound || options === target;
    const widget = create(container, isInvisible ? { ...options, size: 'invisible' } : options);
    if (isBound) bind(container, widget);
    return widgets.push(widget) - 1;
  }

  /** Runs the check when the visitor presses the button. Without a callback, the form is submitted afterwards. */
  function bind(button: HTMLElement, widget: VendorWidget): void {
    const submit = () => {
      if (!widget.options.has('callback')) (button as HTMLButtonElement).form?.requestSubmit(button);
    };
    button.addEventListener('click', (event) => {
      event.preventDefault();
      execute(widget).then(submit, () => undefined);
    });
  }

  const widgetOf = (id: unknown) =>
    id === undefined || id === null ? firstOf(widgets) : widgets[Number(id)];

  /** @returns the widget for tokens of v3, which is invisible and outside every form */
  function hiddenWidget(sitekey: string): VendorWidget {
    const known = hidden.get(sitekey);
    if (known?.container.isConnected) return known;
    const container = document.createElement('div');
    (document.body ?? document.documentElement).append(container);
    const widget = create(container, { sitekey, size: 'invisible' });
    hidden.set(sitekey, widget);
    return widget;
  }

  /** v2: starts the check of a widget. v3: requests a token for an action; the target is a sitekey or the id of a widget. */
  function executeAny(target?: unknown, options?: { readonly action?: string }): Promise<string> {
    const isKey = typeof target === 'string' && !/^\d{1,4}$/.test(target);
    if (isKey && !v3Keys.includes(target))
      return reject(`The sitekey is unknown, or its script is not loaded: ${target}`);
    const widget = isKey ? hiddenWidget(target) : widgetOf(target);
    if (!widget) return reject('No reCAPTCHA clients exist.');
    if (!isKey && !options) return quiet(execute(widget));
    const action = options?.action ?? '';
    if (!/^[\w/-]{0,100}$/.test(action))
      return reject('Invalid action name, may only include "A-Za-z0-9/_-"');
    const request = () => {
      widget.pageData = { action };
      return execute(widget);
    };
    return quiet(cache.token(widget, action, request));
  }

  // Asynchronous, as pages expect; in the order of the calls.
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

/** Errors of `execute` are also events, so a page need not handle the promise. */
function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

function reject(message: string): Promise<never> {
  return quiet(Promise.reject(new Error(message)));
}

// If a page loads the script twice, the first one wins.
if (page.grecaptcha?.posternKeys) callOnload();
else install();
