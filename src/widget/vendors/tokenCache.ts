import type { VendorWidget } from './vendorWidget.ts';

/** Requests tokens of reCAPTCHA v3, one at a time. */
export type TokenCache = {
  /** Requests a token after the page's earlier requests are done. @param request starts a check for the action */
  readonly token: (widget: VendorWidget, action: string, request: () => Promise<string>) => Promise<string>;
};

/**
 * Contact Form 7 requests a token after each change of a field. A request during a `change` event gets the previous request's
 * token again if both have the same action. Every other request gets a new token, because the page may have sent the previous one,
 * which is accepted only once. After a submission or a click, the previous token is assumed to have been sent.
 */
export function createTokenCache(): TokenCache {
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
