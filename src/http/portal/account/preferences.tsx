import { Card } from '../components/card.tsx';
import { Select } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { LANGUAGES, languageOf } from '../i18n/languages.ts';
import { pageContext } from '../i18n/pageContext.ts';
import { t } from '../i18n/t.ts';
import { fieldOf, returnPathOf } from '../kit/formData.ts';
import type { PortalDeps, Visit } from '../kit/handler.ts';
import { themeOf } from '../kit/preferences.ts';
import { errorPage, page, redirectTo } from '../kit/responses.tsx';

const PATH = '/portal/preferences';
const LANGUAGE_NAMES = Object.fromEntries(Object.entries(LANGUAGES).map(([tag, { name }]) => [tag, name]));

/** The choice of language and theme. Signed-out users can make it, too. */
export function showPreferences(visit: Visit) {
  const content = (
    <Card title={t('kit.preferences.title')}>
      <Form
        visit={visit}
        action={PATH}
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
