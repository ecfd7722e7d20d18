import type { Children } from '../../jsx/elements.ts';
import type { ChangeEmail } from '../../platform/authentication/ownEmail.ts';
import { CurrentPasswordField } from '../components/accountFields.tsx';
import { Field, type FormState, fieldsFor, formState, Select } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { Card, DescriptionList, Table } from '../components/sections.tsx';
import { LANGUAGES, languageOf } from '../i18n/languages.ts';
import { pageContext } from '../i18n/pageContext.ts';
import { options, t } from '../i18n/t.tsx';
import { themeOf, ZONES, zoneChoiceOf } from '../kit/cookies.ts';
import { fieldErrorOf, fieldOf } from '../kit/forms.ts';
import type { PortalDeps, SignedInVisit, Visit } from '../kit/handler.ts';
import { LIST_KEY, navigationLinks, SEARCH_KEY } from '../kit/header.tsx';
import { errorPage, page, redirectTo, redirectWithNotice } from '../kit/pages.tsx';
import { returnPathOf } from '../kit/paths.ts';
import { type SignInRejection, signInRejectionOf, withSessionCookie } from '../kit/sessionStart.ts';

const PROFILE_PATH = '/portal/settings/profile';

/** Changes the name. */
export async function changeProfile(visit: SignedInVisit, deps: PortalDeps) {
  const name = fieldOf(visit.form, 'name');
  const renamed = await deps.authentication.rename(visit.actor, name);
  if (renamed.ok) return redirectWithNotice(deps, PROFILE_PATH, t('account.profile.saved'));
  return showProfile(visit, deps, formState({ name }, [fieldErrorOf(renamed.problem)]));
}

/** Changes the email address, which requires the password; all other sessions end. */
export async function changeEmail(visit: SignedInVisit, deps: PortalDeps) {
  const { form: fields, actor } = visit;
  const email = fieldOf(fields, 'email');
  const changed = await deps.authentication.changeEmail(actor, {
    email,
    password: fieldOf(fields, 'current'),
  });
  if (changed.ok) {
    const notice = t('account.profile.emailChanged', { email: changed.value.account.email });
    return withSessionCookie(deps, changed.value, redirectWithNotice(deps, PROFILE_PATH, notice));
  }
  const rejection = changeRejectionOf(changed);
  // The session ended, or the password changed, in the meantime.
  if (rejection === undefined) return redirectTo('/portal/login');
  const { name } = visit.signedIn.account;
  return showProfile(visit, deps, formState({ name, email }, rejection.errors), rejection);
}

function changeRejectionOf(
  rejected: Exclude<Awaited<ReturnType<ChangeEmail>>, { readonly ok: true }>,
): SignInRejection | undefined {
  if ('waitSeconds' in rejected) return signInRejectionOf(rejected, 'email');
  const { problem } = rejected;
  if (problem === 'session-over') return undefined;
  return signInRejectionOf({ ok: false, problem }, problem === 'password-wrong' ? 'current' : 'email');
}

export function showProfile(
  visit: SignedInVisit,
  _: PortalDeps,
  form: FormState<{ readonly name: string; readonly email?: string }> = formState(visit.signedIn.account),
  rejection: SignInRejection = {},
) {
  const { email, isAdmin } = visit.signedIn.account;
  const typed = { email, ...form.typed };
  const field = fieldsFor('account.profile', formState(typed, form.errors));
  const content = (
    <>
      <Card title={t('account.profile.details')}>
        <DescriptionList
          items={[
            [t('account.profile.email'), email],
            [t('account.profile.role'), t(`account.profile.roles.${isAdmin ? 'administrator' : 'user'}`)],
          ]}
        />
      </Card>
      <section class="card">
        <Form visit={visit} action={PROFILE_PATH} button={t('account.profile.save')}>
          <Field {...field('name')} autocomplete="name" />
        </Form>
      </section>
      <Card title={t('account.profile.changeEmail')}>
        <Form visit={visit} action={`${PROFILE_PATH}/email`} button={t('account.profile.changeEmail')}>
          <Field {...field('email')} type="email" autocomplete="email" isLiteral />
          <CurrentPasswordField isFocused={false} errors={form.errors} />
          <p>{t('account.profile.emailEffect')}</p>
        </Form>
      </Card>
    </>
  );
  return page(visit, { title: t('account.profile.title'), content, errors: form.errors, ...rejection });
}

const LANGUAGE_NAMES = Object.fromEntries(Object.entries(LANGUAGES).map(([tag, { name }]) => [tag, name]));

const PREFERENCES_PATH = '/portal/preferences';

/** The choice of language, theme, and time zone. Signed-out users can make it, too. */
export function showPreferences(visit: Visit) {
  const returnPath = returnPathOf(fieldOf(visit.query, 'return'));
  const { language, zoneChoice } = pageContext();
  const current = formState({ language, theme: visit.theme, zone: zoneChoice });
  const field = fieldsFor('kit.preferences', current);
  const button = t('kit.preferences.save');
  const content = (
    <Form visit={visit} action={PREFERENCES_PATH} button={button} cancelPath={returnPath}>
      <input type="hidden" name="return" value={returnPath} />
      <Select {...field('language')} options={LANGUAGE_NAMES} areLanguages />
      <Select {...field('theme')} options={options('kit.preferences.themes', ['auto', 'light', 'dark'])} />
      <Select {...field('zone')} options={options('kit.preferences.zones', ZONES)} />
    </Form>
  );
  return page(visit, { title: t('kit.preferences.title'), content });
}

/** Stores the choice in a cookie and returns to the page that the user came from. */
export function savePreferences(visit: Visit, { cookies }: PortalDeps) {
  const language = languageOf(fieldOf(visit.form, 'language'));
  const theme = themeOf(fieldOf(visit.form, 'theme'));
  const zone = zoneChoiceOf(fieldOf(visit.form, 'zone'));
  if (language === undefined || theme === undefined || zone === undefined)
    return errorPage(visit, 422, t('kit.preferences.title'), t('kit.preferences.unknown'));
  const cookie = cookies.write('preferences', `${language} ${theme} ${zone}`);
  return redirectTo(returnPathOf(fieldOf(visit.form, 'return')), new Headers({ 'Set-Cookie': cookie }));
}

/** The keyboard shortcuts. The script shows the list in a dialog, too, and turns shortcuts on and off. */
export function showShortcuts(visit: SignedInVisit) {
  const content = (
    <div id="shortcuts">
      <Card title={t('account.shortcuts.caption')}>
        <p>{t('account.shortcuts.text')}</p>
        <Table
          hiddenCaption={t('account.shortcuts.caption')}
          head={[t('account.shortcuts.keys'), t('account.shortcuts.action')]}
          rows={rowsFor(visit)}
        />
        <div class="field check" data-needs-script hidden>
          <input type="checkbox" id="use-shortcuts" aria-describedby="use-shortcuts-help" />
          <label for="use-shortcuts">{t('account.shortcuts.use')}</label>
          <p class="help" id="use-shortcuts-help">
            {t('account.shortcuts.useHelp')}
          </p>
        </div>
      </Card>
    </div>
  );
  return page(visit, { title: t('account.shortcuts.title'), content });
}

function rowsFor({ signedIn }: SignedInVisit): readonly (readonly Children[])[] {
  const pages = navigationLinks(signedIn.account).flatMap(({ keys, label }) =>
    keys === undefined || keys === LIST_KEY
      ? []
      : [[<Keys keys={keys} />, t('account.shortcuts.goTo', { page: label })]],
  );
  return [
    [<Keys keys={SEARCH_KEY} />, t('account.shortcuts.search')],
    [<Keys keys={LIST_KEY} />, t('account.shortcuts.list')],
    [<kbd>Ctrl K</kbd>, t('account.shortcuts.palette')],
    ...pages,
  ];
}

/** A key, or two keys of a sequence. */
function Keys({ keys }: { readonly keys: string }) {
  const [first = '', second] = keys.split(' ');
  if (second === undefined) return <kbd>{first}</kbd>;
  return (
    <span>
      <kbd>{first}</kbd> {t('account.shortcuts.thenKey')} <kbd>{second}</kbd>
    </span>
  );
}
