import { urlOf } from '../dom.ts';
import { PLAIN_FIELD } from '../field.ts';
import { callOnload } from '../registry.ts';
import { setInvisible } from './vendorOptions.ts';
import { createVendorWidgets, type Vendor, type VendorWidget } from './vendorWidget.ts';

/** Entry point of `/cap/widget.js`. */

const NAME = 'cap-widget';
const ENDPOINT = 'data-cap-api-endpoint';

/** The element is the container of Postern's widget, and its attributes begin with `data-cap-`. */
const VENDOR: Vendor = {
  cssClass: NAME,
  selector: NAME,
  fieldName: 'cap-token',
  createField: PLAIN_FIELD.createField,
  testSitekeys: {},
  configure(options, inner) {
    const { dataset } = inner;
    dataset.solutionField = options.text('cap-hidden-field-name');
    dataset.lang = options.text('cap-lang') || options.text('lang');
    dataset.theme = options.text('theme') || 'light';
    if (options.has('hidden')) setInvisible(inner);
  },
  pageDataOf: () => ({}),
  onEvent({ container, handle }, event) {
    if (event.kind === 'finish') emit(container, 'solve', { token: handle.solution() });
    if (event.kind === 'reset') emit(container, 'reset', {});
    if (event.kind === 'error')
      emit(container, 'error', { isCap: true, code: 'solve_failed', message: event.reason || event.problem });
  },
};

/** The form's own event `reset` resets the widget, so this one is marked as canceled, which the widget ignores. */
function emit(element: HTMLElement, name: string, detail: object): void {
  const event = new CustomEvent(name, { bubbles: true, composed: true, cancelable: true, detail });
  element.dispatchEvent(event);
  event.preventDefault();
}

/** The sitekey is the last part of the endpoint: `https://captcha.example.com/cap/SITEKEY/`. */
function sitekeyOf(element: Element): string {
  const url = urlOf(element.getAttribute(ENDPOINT) ?? '');
  return url?.split(/[?#]/)[0]?.split('/').filter(Boolean).pop() ?? '';
}

function install(): void {
  const { create, execute, find, registry } = createVendorWidgets(VENDOR, render);

  function render(element: HTMLElement, hidden = false): VendorWidget {
    element.style.display = hidden ? 'none' : 'block';
    return create(element, { sitekey: element.dataset.sitekey || sitekeyOf(element), hidden });
  }

  class CapWidget extends HTMLElement {
    constructor() {
      super();
      this.addEventListener('postern:progress', ({ detail }: CustomEventInit) =>
        emit(this, 'progress', { progress: detail.percent }),
      );
    }
    get token(): string | null {
      return find(this)?.handle.solution() || null;
    }
    reset(): void {
      find(this)?.handle.reset();
    }
  }
  /** @throws the event of the widget if the check fails */
  async function solve(element: HTMLElement) {
    return { success: true, token: await execute(find(element) ?? render(element)) };
  }
  // The build shortens this name in our own code, but not in texts.
  Reflect.set(CapWidget.prototype, 'solve', function (this: CapWidget) {
    return solve(this);
  });
  customElements.define(NAME, CapWidget);

  /** A check without a visible widget, or the given element. */
  class Cap {
    declare readonly widget: CapWidget;
    constructor(config: { readonly apiEndpoint?: string } = {}, element?: CapWidget) {
      this.widget = element ?? (document.createElement(NAME) as CapWidget);
      for (const [name, value] of Object.entries(config)) this.widget.setAttribute(name, `${value}`);
      if (!config.apiEndpoint) throw new Error('Missing API endpoint. Set "apiEndpoint".');
      this.widget.setAttribute(ENDPOINT, config.apiEndpoint);
      Reflect.set(this, 'solve', () => solve(this.widget));
      if (element) return;
      render(this.widget, true);
      document.documentElement.append(this.widget);
    }
    get token() {
      return this.widget.token;
    }
    reset() {
      this.widget.reset();
    }
    addEventListener(...values: Parameters<HTMLElement['addEventListener']>) {
      this.widget.addEventListener(...values);
    }
  }
  (window as { Cap?: unknown }).Cap = Cap;
  registry.boot();
}

// If a page loads the script twice, or the vendor's script first, the first one stays in effect.
if (customElements.get(NAME)) callOnload();
else install();
