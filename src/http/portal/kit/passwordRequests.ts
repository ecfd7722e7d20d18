import { ORIGIN_MAX_LENGTH } from '../../../captcha/origin.ts';
import type { AccountId } from '../../../model/account.ts';
import { confirmPage } from '../account/passwordConfirm.tsx';
import { signInPage } from '../account/signIn.tsx';
import { t } from '../i18n/t.ts';
import { TOKEN_FIELD } from './csrf.ts';
import { fieldOf, returnPathOf, withQuery } from './formData.ts';
import type { PortalDeps, SignedInVisit, Visit } from './handler.ts';
import { HELD_FIELD } from './heldForms.ts';
import { redirectTo, redirectWithNotice } from './responses.tsx';
import type { Route } from './route.ts';

/** The responses to requests that need a password first. They hold a form, so that it can continue afterward. */
export type PasswordRequests = {
  /** For a sensitive route, if the user did not enter the password recently. */
  readonly toConfirm: (route: Route, visit: SignedInVisit) => Response;
  /** For a page, or a form that does not say who filled it in. */
  readonly toSignIn: (visit: Visit) => Promise<Response>;
  /** For a form whose session has ended. @param sender the user who filled in the form */
  readonly toSignInFor: (route: Route, visit: Visit, sender: AccountId) => Promise<Response>;
  /** For a form that was not read because it is too large or not a text. */
  readonly toSignInWithoutForm: (visit: Visit) => Promise<Response>;
};

/** @see PasswordRequests */
export function createPasswordRequests(
  deps: Pick<PortalDeps, 'authentication' | 'cookies' | 'heldForms'>,
): PasswordRequests {
  function hold({ path: route }: Route, visit: Visit, accountId: AccountId): string | undefined {
    const { form, file, params, address } = visit;
    if (file !== undefined) return undefined;
    // The form of a page that asks for the password carries the form that waits.
    const waiting = fieldOf(form, HELD_FIELD);
    if (waiting !== '') return waiting;
    const fields = new URLSearchParams([...form].filter(([name]) => name !== TOKEN_FIELD)).toString();
    return deps.heldForms.hold({ accountId, route, params, address, fields });
  }

  async function toSetup(): Promise<Response | undefined> {
    return (await deps.authentication.setup.isOpen()) ? redirectTo('/portal/setup') : undefined;
  }

  async function toSignInWithoutForm(visit: Visit): Promise<Response> {
    const path = withQuery('/portal/login', { return: formPathOf(visit) });
    return (await toSetup()) ?? redirectWithNotice(deps, path, t('kit.interrupted.signInNotKept'));
  }

  return {
    toConfirm(route, visit) {
      const confirmPath = (returnPath: string) => withQuery('/portal/confirm', { return: returnPath });
      if (visit.request.method === 'GET') return redirectTo(confirmPath(returnPathOf(visit.address)));
      const returnPath = formPathOf(visit);
      const held = hold(route, visit, visit.signedIn.account.id);
      if (held !== undefined) return confirmPage(visit, { held, returnPath }, { status: 403 });
      return redirectWithNotice(deps, confirmPath(returnPath), t('kit.interrupted.passwordNotKept'));
    },
    async toSignIn({ request, address }) {
      const isPlain = request.method === 'POST' || address === '/portal';
      const path = isPlain ? '/portal/login' : withQuery('/portal/login', { return: address });
      return (await toSetup()) ?? redirectTo(path);
    },
    async toSignInFor(route, visit, sender) {
      const held = hold(route, visit, sender);
      if (held === undefined) return toSignInWithoutForm(visit);
      const typed = { email: '', held, returnPath: formPathOf(visit) };
      return (await toSetup()) ?? signInPage(visit, typed, { status: 403 });
    },
    toSignInWithoutForm,
  };
}

/** The page with the form that was sent, according to the browser; otherwise the start page of the portal. */
function formPathOf({ request, form }: Visit): string {
  const waiting = fieldOf(form, HELD_FIELD) === '' ? '' : fieldOf(form, 'return');
  if (waiting !== '') return returnPathOf(waiting);
  const referer = request.headers.get('referer') ?? '';
  const referrer = referer.length > ORIGIN_MAX_LENGTH ? null : URL.parse(referer);
  return returnPathOf(referrer === null ? '' : `${referrer.pathname}${referrer.search}`);
}
