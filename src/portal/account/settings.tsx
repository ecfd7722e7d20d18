import type { Children } from '../../jsx/elements.ts';
import { Card, DescriptionList } from '../components/card.tsx';
import { Field, type FieldErrors, Select } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { Table } from '../components/table.tsx';
import { LANGUAGES, languageOf } from '../i18n/languages.ts';
import { pageContext } from '../i18n/pageContext.ts';
import { t } from '../i18n/t.ts';
import { themeOf } from '../kit/cookies.ts';
import { fieldOf } from '../kit/formData.ts';
import type { PortalDeps, SignedInVisit, Visit } from '../kit/handler.ts';
import { LIST_KEY, navigationLinks, SEARCH_KEY } from '../kit/header.tsx';
import { fieldErrorOf } from '../kit/messages.ts';
import { returnPathOf } from '../kit/paths.ts';
import { errorPage, page, redirectTo, redirectWithNotice } from '../kit/responses.tsx';

const PROFILE_PATH = '/portal/settings/profile';

/** Changes the name. */
export async function changeProfile(visit: SignedInVisit, deps: PortalDeps) {
  const name = fieldOf(visit.form, 'name');
  const renamed = await deps.authentication.rename(visit.actor, name);
  if (renamed.ok) return redirectWithNotice(deps, PROFILE_PATH, t('account.profile.saved'));
  return showProfile(visit, deps, name, [fieldErrorOf(renamed.problem)]);
}

export function showProfile(
  visit: SignedInVisit,
  _: PortalDeps,
  name = visit.signedIn.account.name,
  errors: FieldErrors = [],
) {
  const { email, isAdmin } = visit.signedIn.account;
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
      <Card title={t('account.profile.name')}>
        <Form visit={visit} action={PROFILE_PATH} button={t('account.profile.save')}>
          <Field
            name="name"
            label={t('account.profile.name')}
            value={name}
            help={t('account.profile.nameHelp')}
            autocomplete="name"
            errors={errors}
          />
        </Form>
      </Card>
    </>
  );
  return page(visit, { title: t('account.profile.title'), content, errors });
}

const LANGUAGE_NAMES = Object.fromEntries(Object.entries(LANGUAGES).map(([tag, { name }]) => [tag, name]));

const PREFERENCES_PATH = '/portal/preferences';

/** The choice of language and theme. Signed-out users can make it, too. */
export function showPreferences(visit: Visit) {
  const content = (
    <Card title={t('kit.preferences.title')}>
      <Form
        visit={visit}
        action={PREFERENCES_PATH}
        button={t('kit.preferences.save')}
        cancelPath={returnPathOf(fieldOf(visit.query, 'return'))}
      >
        <input type="hidden" name="return" value={returnPathOf(fieldOf(visit.query, 'return'))} />
        <Select
          name="language"
          label={t('kit.preferences.language')}
          value={pageContext().language}
          options={LANGUAGE_NAMES}
        />
        <Select
          name="theme"
          label={t('kit.preferences.theme')}
          value={visit.theme}
          options={{
            auto: t('kit.preferences.themes.auto'),
            light: t('kit.preferences.themes.light'),
            dark: t('kit.preferences.themes.dark'),
          }}
        />
      </Form>
    </Card>
  );
  return page(visit, { title: t('kit.preferences.title'), content });
}

/** Stores the choice in a cookie and returns to the page that the user came from. */
export function savePreferences(visit: Visit, { cookies }: PortalDeps) {
  const language = languageOf(fieldOf(visit.form, 'language'));
  const theme = themeOf(fieldOf(visit.form, 'theme'));
  if (language === undefined || theme === undefined)
    return errorPage(visit, 422, t('kit.preferences.title'), t('kit.preferences.unknown'));
  const cookie = cookies.write('preferences', `${language} ${theme}`);
  return redirectTo(returnPathOf(fieldOf(visit.form, 'return')), new Headers({ 'Set-Cookie': cookie }));
}

/** The keyboard shortcuts. The script shows the list in a dialog, too, and turns shortcuts on and off. */
export function showShortcuts(visit: SignedInVisit) {
  const content = (
    <div id="shortcuts">
      <h2 id="shortcuts-title" hidden>
        {t('account.shortcuts.title')}
      </h2>
      <Card title={t('account.shortcuts.caption')}>
        <p>{t('account.shortcuts.text')}</p>
        <Table
          caption={t('account.shortcuts.caption')}
          isCaptionHidden
          head={[t('account.shortcuts.keys'), t('account.shortcuts.action')]}
          rows={rowsFor(visit)}
          empty=""
        />
        <div class="field check" data-needs-script hidden>
          <input type="checkbox" id="use-shortcuts" aria-describedby="use-shortcuts-help" />
          <label for="use-shortcuts">{t('account.shortcuts.use')}</label>
          <p class="help" id="use-shortcuts-help">
            {t('account.shortcuts.useHelp')}
          </p>
        </div>
      </Card>
      <form method="dialog" hidden>
        <button type="submit" class="quiet">
          {t('components.close')}
        </button>
      </form>
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
