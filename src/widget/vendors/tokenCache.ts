import type { VendorWidget } from './vendorWidget.ts';

/** Tokens of reCAPTCHA v3. */
export type TokenCache = {
  /** Requests a token, after the earlier requests of the page. @param request starts a check for the action */
  readonly token: (widget: VendorWidget, action: string, request: () => Promise<string>) => Promise<string>;
};

/**
 * Contact Form 7 requests a token after every changed field. Such a request, made while a `change` event is dispatched, gets the token
 * of the previous request again, if both have the same action. All others get a new one: the page may have sent the previous token,
 * which is accepted only once. After a submission or a click, the previous token counts as sent.
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
    // The widget has no solution after its puzzle expired.
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

/** A click that only focuses or changes a field. */
function isFieldClick({ target }: MouseEvent): boolean {
  const isField = target instanceof Element && target.closest('input, select, textarea, label');
  return (
    Boolean(isField) && !(target as Element).closest('button, [type=submit], [type=button], [type=image]')
  );
}
