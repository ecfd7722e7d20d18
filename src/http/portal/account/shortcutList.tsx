import type { Children } from '../../jsx/elements.ts';
import { Card } from '../components/card.tsx';
import { Table } from '../components/table.tsx';
import { t } from '../i18n/t.ts';
import type { SignedInVisit } from '../kit/handler.ts';
import { navigationLinks } from '../kit/header.tsx';
import { page } from '../kit/responses.tsx';
import { keysOf, LIST_KEY, SEARCH_KEY } from '../kit/shortcuts.ts';

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
  const pages = navigationLinks(signedIn.account).flatMap(({ path, label }) => {
    const keys = keysOf(path);
    return keys === undefined ? [] : [[<Keys keys={keys} />, t('account.shortcuts.goTo', { page: label })]];
  });
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
