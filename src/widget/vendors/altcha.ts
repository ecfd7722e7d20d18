import { urlOf } from '../dom.ts';
import { PLAIN_FIELD } from '../field.ts';
import { callOnload } from '../registry.ts';
import { setInvisible } from './vendorOptions.ts';
import { createVendorWidgets, type Vendor, type VendorWidget } from './vendorWidget.ts';

/** Entry point of `/altcha/altcha.js`. */

const NAME = 'altcha-widget';

/** Postern's states by their names in the events. */
const STATES: { readonly [state: string]: string } = {
  idle: 'unverified',
  solving: 'verifying',
  failed: 'error',
};

/** The element is the container of Postern's widget. */
const VENDOR: Vendor = {
  cssClass: NAME,
  selector: NAME,
  fieldName: 'altcha',
  createField: PLAIN_FIELD.createField,
  testSitekeys: {},
  configure(options, inner) {
    const { dataset } = inner;
    const auto = options.text('auto');
    dataset.solutionField = options.text('name');
    dataset.theme = options.text('theme') || 'light';
    dataset.startMode = auto === 'onload' ? 'load' : auto === 'off' ? 'click' : '';
    if (options.text('display') === 'invisible') setInvisible(inner);
  },
  pageDataOf: () => ({}),
  onEvent(widget, event) {
    if (event.kind === 'finish') {
      emitState(widget);
      emit(widget, 'verified', { payload: widget.handle.solution() });
    }
    if (event.kind === 'reset') {
      emitState(widget, event.expired ? 'expired' : undefined);
      if (event.expired) emit(widget, 'expired', {});
    }
    if (event.kind === 'error') emitState(widget);
  },
};

type Target = Pick<VendorWidget, 'container' | 'handle'>;

function emit({ container }: Pick<Target, 'container'>, name: string, detail: object): void {
  container.dispatchEvent(new CustomEvent(name, { detail }));
}

function emitState(widget: Target, state = stateOf(widget)): void {
  emit(widget, 'statechange', { payload: widget.handle.solution() || null, state });
}

function stateOf({ handle }: Pick<Target, 'handle'>): string {
  return STATES[handle.state()] ?? handle.state();
}

/** The attributes of the element, whose names have no prefix. */
function optionsOf(element: Element) {
  const options: { [name: string]: string } = {};
  for (const { name, value } of element.attributes) options[name] = value;
  return options;
}

/** The sitekey is the parameter `apiKey` of the challenge's URL. Older pages have the attribute `challengeurl`. */
function sitekeyOf({ sitekey, challenge, challengeurl }: { [name: string]: string }): string {
  const url = urlOf(challenge || challengeurl || '');
  return sitekey || (url && new URL(url).searchParams.get('apiKey')) || '';
}

function install(): void {
  const { create, execute, find, registry } = createVendorWidgets(VENDOR, render);

  function render(element: HTMLElement): VendorWidget {
    const options = optionsOf(element);
    element.style.display = 'block';
    return create(element, { ...options, sitekey: sitekeyOf(options) });
  }

  class AltchaWidget extends HTMLElement {
    constructor() {
      super();
      this.addEventListener('postern:start', ({ detail }: CustomEventInit) =>
        emitState({ container: this, handle: detail.widget }),
      );
    }
    /** @returns the payload; null if the check fails */
    verify() {
      return execute(find(this) ?? render(this)).then(
        (payload) => ({ payload }),
        () => null,
      );
    }
    reset(): void {
      find(this)?.handle.reset();
    }
    getState() {
      const widget = find(this);
      return widget ? stateOf(widget) : 'unverified';
    }
  }
  customElements.define(NAME, AltchaWidget);
  registry.boot();
}

// If a page loads the script twice, or the vendor's script first, the first one stays in effect.
if (customElements.get(NAME)) callOnload();
else install();
