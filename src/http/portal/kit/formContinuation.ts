import type { StartedSession } from '../../../platform/authentication/sessions.ts';
import { t } from '../i18n/t.ts';
import type { FormTokens } from './csrf.ts';
import { asSignedIn, type PortalDeps, type Visit } from './handler.ts';
import type { HeldForm } from './heldForms.ts';
import { keptFormPage } from './keptFormPage.tsx';
import { redirectTo, redirectWithNotice } from './responses.tsx';
import type { Route } from './route.ts';

/** What continues after the user has entered the password. */
export type Interrupted = {
  /** The held form, encrypted; empty if there is none. */
  readonly held: string;
  /** The page that is shown otherwise. */
  readonly returnPath: string;
};

/** Processes a held form once, as if its user had just sent it. @returns the response, which does not contain the session's cookie */
export type ContinueForm = (
  visit: Visit,
  started: Pick<StartedSession, 'account' | 'session'>,
  interrupted: Interrupted,
) => Promise<Response>;

/** @param deps.admit checks the visit, then lets the route respond */
export function createContinueForm({
  routes,
  tokens,
  admit,
  ...deps
}: Pick<PortalDeps, 'heldForms' | 'cookies'> & {
  readonly routes: readonly Route[];
  readonly tokens: FormTokens;
  readonly admit: (route: Route, visit: Visit) => Promise<Response>;
}): ContinueForm {
  return async (visit, started, { held: text, returnPath }) => {
    if (text === '') return redirectTo(returnPath);
    const held = deps.heldForms.open(text);
    const route = routes.find(({ method, path }) => method === 'POST' && path === held?.route);
    if (held === undefined || route === undefined)
      return redirectWithNotice(deps, returnPath, t('kit.interrupted.expired'));
    if (held.accountId !== started.account.id)
      return redirectWithNotice(deps, '/portal', t('kit.interrupted.otherUser'));
    const sent = {
      ...asSignedIn(asSent(visit, held), started),
      formToken: tokens.forSession(started.session),
    };
    const claim = await deps.heldForms.claim(held);
    if (claim === 'repeated') return redirectWithNotice(deps, returnPath, t('kit.interrupted.repeated'));
    return claim === 'first' ? admit(route, sent) : keptFormPage(sent, 'restarted');
  };
}

/** The visit with the form that was held. */
function asSent(visit: Visit, { address, params, fields }: HeldForm): Visit {
  const query = new URLSearchParams(address.split('?')[1] ?? '');
  return { ...visit, address, params, query, form: new URLSearchParams(fields), notice: undefined };
}
