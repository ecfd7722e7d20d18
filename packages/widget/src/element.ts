import { connect, type PosternConnection } from './connect.js';

/** Postpones the failure on a server, which has no elements, to the creation of one. */
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

/**
 * The custom element `<postern-widget server="…" data-sitekey="…">`. Its other attributes are those of the widget. Its events are
 * those of the widget; a script that cannot be loaded causes `postern:unavailable`.
 */
export class PosternElement extends Base implements PosternConnection {
  #connection: ReturnType<typeof connect> | undefined;

  connectedCallback(): void {
    this.classList.add('postern-captcha');
    this.style.display ||= 'block';
    const { nonce } = this;
    const source = {
      server: this.getAttribute('server') ?? location.origin,
      script: this.getAttribute('script') ?? undefined,
      integrity: this.getAttribute('integrity') ?? undefined,
      nonce,
    };
    this.#connection = connect(this, () => ({
      ...source,
      onError: (error) => {
        if (error.problem !== 'script-unavailable') return;
        this.dispatchEvent(new CustomEvent('postern:unavailable', { bubbles: true, detail: error }));
      },
    }));
  }

  disconnectedCallback(): void {
    this.#connection?.disconnect();
    this.#connection = undefined;
  }

  async solve(): Promise<string> {
    return (await this.#connection?.solve()) ?? '';
  }

  reset(): void {
    this.#connection?.reset();
  }
}

if (globalThis.customElements && !customElements.get('postern-widget'))
  customElements.define('postern-widget', PosternElement);

declare global {
  interface HTMLElementTagNameMap {
    'postern-widget': PosternElement;
  }
}
