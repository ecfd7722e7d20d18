import type { Element } from '../../jsx/elements.ts';
import { Icon } from '../components/icon.tsx';
import { t } from '../i18n/t.ts';
import { withQuery } from './formData.ts';
import type { Visit } from './handler.ts';

/** A link to the choice of language and theme, which then returns to the current page. */
export function PreferencesLink({ visit }: { readonly visit: Visit }): Element {
  // Without the query, which can contain a token that the user pasted into the address.
  const [back = '/portal'] = visit.request.method === 'GET' ? visit.address.split('?') : [];
  return (
    <a class="preferences" href={withQuery('/portal/preferences', { return: back })}>
      <Icon name="preferences" />
      <span>{t('kit.preferences.title')}</span>
    </a>
  );
}
