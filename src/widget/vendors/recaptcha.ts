import { loadExtras, scriptUrl } from '../buildFiles.ts';
import { logOnce } from '../console.ts';
import { keepSubmission } from '../holdSubmit.ts';
import { callOnload, query } from '../registry.ts';
import { createTextarea, setInvisible, setTheme, type VendorOptions } from './vendorOptions.ts';
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

/**
 * Starts the check when the visitor clicks a button that is a widget's container. After the check, submits the form in the state that it
 * had at the click, unless the widget has a callback. Further clicks have no effect until the check is done.
 *
 * @param execute starts the check
 */
function bindButton(
  container: HTMLElement,
  widget: VendorWidget,
  execute: (widget: VendorWidget) => Promise<unknown>,
): void {
  const button = container as HTMLButtonElement;
  let isPending = false;

  async function submit(): Promise<void> {
    isPending = true;
    const { form, type } = button;
    const submitter = /^(submit|image)$/.test(type) ? button : null;
    const load = async () => (await loadExtras(widget.handle.element())).replay;
    // No listener has seen a submission yet, so each of them may stop it.
    const send = form && !widget.options.has('callback') && keepSubmission(form, submitter, true, load);
    try {
      await execute(widget);
      if (send) await send().catch(logOnce);
    } catch {
      // The widget has reported the failure.
    }
    isPending = false;
  }

  button.addEventListener('click', (event) => {
    event.preventDefault();
    if (!isPending) void submit();
  });
}

/** Requests tokens of reCAPTCHA v3, one at a time. */
type TokenCache = {
  /** Requests a token after the page's earlier requests are done. @param request starts a check for the action */
  readonly token: (widget: VendorWidget, action: string, request: () => Promise<string>) => Promise<string>;
};

/**
 * Contact Form 7 requests a token after each change of a field. A request during a `change` event gets the previous request's
 * token again if both have the same action. Every other request gets a new token, because the page may have sent the previous one,
 * which is accepted only once. After a submission or a click, the previous token is assumed to have been sent.
 */
function createTokenCache(): TokenCache {
  let queue: Promise<unknown> = Promise.resolve();
  let last: { readonly widget: VendorWidget; readonly action: string; readonly token: string } | undefined;
  const drop = () => {
    last = undefined;
  };
  window.addEventListener('submit', drop, true);
  window.addEventListener('click', (event) => isFieldClick(event) || drop(), true);

  function reusable(widget: VendorWidget, action: string): string | undefined {
    const isSame = last?.widget === widget && last.action === action;
    // After its puzzle expires, the widget has no solution.
    return isSame && window.event?.type === 'change' && widget.handle.solution() ? last?.token : undefined;
  }

  return {
    token(widget, action, request) {
      const known = reusable(widget, action);
      if (known) return Promise.resolve(known);
      const requested = queue.then(request).then((token) => {
        last = { widget, action, token };
        return token;
      });
      queue = requested.catch(() => undefined);
      return requested;
    },
  };
}

/** Whether the click only focuses or changes a field. */
function isFieldClick({ target }: MouseEvent): boolean {
  const isField = target instanceof Element && target.closest('input, select, textarea, label');
  return (
    Boolean(isField) && !(target as Element).closest('button, [type=submit], [type=button], [type=image]')
  );
}
