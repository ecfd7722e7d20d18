import { ORIGIN_MAX_LENGTH } from '../captcha/origin.ts';
import type { AccountId } from '../model/account.ts';
import { confirmPage } from './account/passwords.tsx';
import { signInPage } from './account/signIn.tsx';
import { Field } from './components/field.tsx';
import { Form, ONE_TIME_TOKEN_FIELD, TOKEN_FIELD } from './components/form.tsx';
import { DescriptionList } from './components/sections.tsx';
import { t } from './i18n/t.tsx';
import { fieldOf } from './kit/forms.ts';
import { asSignedIn, type PortalDeps, type SignedInVisit, type Visit } from './kit/handler.ts';
import { type ContinueForm, HELD_FIELD, type HeldForm, isSecretField } from './kit/heldForms.ts';
import { errorPage, page, redirectTo, redirectWithWarning } from './kit/pages.tsx';
import { returnPathOf, withQuery } from './kit/paths.ts';
import type { Route } from './kit/route.ts';
import type { FormTokens } from './kit/tokens.ts';

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
    return (await toSetup()) ?? redirectWithWarning(deps, path, t('kit.interrupted.signInNotKept'));
  }

  return {
    toConfirm(route, visit) {
      const confirmPath = (returnPath: string) => withQuery('/portal/confirm', { return: returnPath });
      if (visit.request.method === 'GET') return redirectTo(confirmPath(returnPathOf(visit.address)));
      const returnPath = formPathOf(visit);
      const held = hold(route, visit, visit.signedIn.account.id);
      if (held !== undefined) return confirmPage(visit, { held, returnPath }, { status: 403 });
      return redirectWithWarning(deps, confirmPath(returnPath), t('kit.interrupted.passwordNotKept'));
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
      return redirectWithWarning(deps, returnPath, t('kit.interrupted.expired'));
    if (held.accountId !== started.account.id)
      return redirectWithWarning(deps, '/portal', t('kit.interrupted.otherUser'));
    const sent = {
      ...asSignedIn(asSent(visit, held), started),
      formToken: tokens.forSession(started.session),
    };
    const claim = await deps.heldForms.claim(held);
    if (claim === 'repeated') return redirectWithWarning(deps, returnPath, t('kit.interrupted.repeated'));
    return claim === 'first' ? admit(route, sent) : keptFormPage(sent, 'restarted');
  };
}

/** The visit with the form that was held. */
function asSent(visit: Visit, { address, params, fields }: HeldForm): Visit {
  const query = new URLSearchParams(address.split('?')[1] ?? '');
  return { ...visit, address, params, query, form: new URLSearchParams(fields), notice: undefined };
}

/** Fields that the user did not enter: they are sent back, but not shown. */
const UNTYPED = [ONE_TIME_TOKEN_FIELD, 'token', 'username', 'return', 'state'];

/** Why a form was not processed, and the status of the page that says so. */
const STATUS = {
  /** The installation is in maintenance. */
  maintenance: 503,
  /** The server restarted while the user entered the password. */
  restarted: 409,
  /** The user has signed in again since the page with the form was opened. */
  earlierSession: 409,
} as const;

/** The response to a form that was not processed: the user can check the entered values and send them again. */
export function keptFormPage(visit: Visit, why: keyof typeof STATUS): Response {
  const title = t(`kit.kept.${why}.title`);
  if (visit.file !== undefined)
    return errorPage(visit, STATUS[why], title, `${t(`kit.kept.${why}.reason`)} ${t('kit.kept.file')}`);
  const sent = [...visit.form].filter(([name]) => name !== TOKEN_FIELD);
  const kept = sent.filter(([name]) => !isSecretField(name));
  const secrets = sent.filter(([name]) => isSecretField(name));
  const shown = kept.filter(([name, value]) => !UNTYPED.includes(name) && value !== '');
  const button = t(why === 'earlierSession' ? 'kit.kept.send' : 'kit.kept.sendAgain');
  const content = (
    <>
      <p>
        {t(`kit.kept.${why}.reason`)}
        {sent.length > 0 && ` ${t(`kit.kept.${why}.advice`)}`}
      </p>
      {shown.length > 0 && <DescriptionList items={shown.map(([name, value]) => [labelOf(name), value])} />}
      <Form visit={visit} action={visit.address} button={button} cancelPath="/portal">
        {kept.map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        {secrets.map(([name]) => (
          <Field name={name} label={labelOf(name)} type="password" autocomplete="off" />
        ))}
      </Form>
    </>
  );
  return page(visit, { title, content, status: STATUS[why] });
}

/** `validity_seconds` is `Validity seconds`. */
function labelOf(name: string): string {
  if (name === 'current') return t('account.fields.currentPassword');
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
