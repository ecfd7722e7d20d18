import type { Children } from '../../jsx/elements.ts';
import type { EffectiveSetting } from '../../model/system.ts';
import { Checkbox } from '../components/field.tsx';
import { FilterField, SearchForm } from '../components/form.tsx';
import { Table } from '../components/sections.tsx';
import { t, texts } from '../i18n/t.tsx';
import { fieldOf } from '../kit/forms.ts';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { systemPage } from '../kit/pages.tsx';
import { SYSTEM_PATH } from '../kit/paths.ts';
import { granted } from './granted.ts';

/** The effective settings in groups. In the query, `q` is a text that settings contain, and `changed` excludes the defaults. */
export async function showSettings(visit: SignedInVisit, deps: PortalDeps) {
  const { settings } = granted(await deps.describeSystem(visit.actor));
  const text = fieldOf(visit.query, 'q').trim();
  const isChangedOnly = visit.query.has('changed');
  const isFiltered = isChangedOnly || text !== '';
  const shown = settings.filter((one) => (isChanged(one) || !isChangedOnly) && contains(one, text));
  const label = t('admin.settings.changedOnly');
  const content = (
    <>
      <p>{t('admin.settings.caption')}</p>
      <SearchForm action={`${SYSTEM_PATH}/settings`} button={t('admin.settings.filter')}>
        <FilterField label={t('admin.settings.search')} text={text} isLiteral />
        <Checkbox name="changed" label={label} value={isChangedOnly} />
      </SearchForm>
      {[...Map.groupBy(shown, ({ group }) => group)].map(([group, members]) => (
        <details class="card" open={isFiltered || members.some(isChanged)}>
          <summary>{t(`admin.settings.groups.${group}`)}</summary>
          {settingsTable(group, members)}
        </details>
      ))}
      {shown.length === 0 && (
        <p class="empty">{t(isFiltered ? 'admin.settings.noMatch' : 'admin.settings.none')}</p>
      )}
    </>
  );
  return systemPage(visit, '/settings', { content });
}

function isChanged({ source }: EffectiveSetting): boolean {
  return source !== 'default';
}

function contains({ variable, value = '', meaning }: EffectiveSetting, text: string): boolean {
  return [variable, value, meaning].some((part) => part.toLowerCase().includes(text.toLowerCase()));
}

function settingsTable(group: EffectiveSetting['group'], settings: readonly EffectiveSetting[]) {
  return (
    <Table
      hiddenCaption={t(`admin.settings.groups.${group}`)}
      head={texts('admin.settings', 'variable', 'value', 'source', 'meaning')}
      rows={settings.map(({ variable, value = '', source, meaning }) => [
        <code class="long">{breakable(variable)}</code>,
        <code class="long">{value}</code>,
        t(`admin.settings.sources.${source}`),
        <span class="long" lang="en">
          {withCode(meaning)}
        </span>,
      ])}
    />
  );
}

/** A name that breaks after its underscores. */
function breakable(name: string): readonly Children[] {
  return name.split(/(?<=_)/).flatMap((part, index) => (index === 0 ? [part] : [<wbr />, part]));
}

/** Text in which backticks mark code, without the targets of its links, which are files of the documentation. */
function withCode(text: string): readonly Children[] {
  const plain = text.replaceAll(/\[([^[\]]+)\]\([^()]*\)/g, '$1');
  return plain.split('`').map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part));
}
