import { Dialog } from '../components/dialog.tsx';
import { LITERAL } from '../components/field.tsx';
import { TEXT_MAX_LENGTH } from '../components/form.tsx';
import { t } from '../i18n/t.tsx';

/**
 * The command palette, on every page for signed-in users: a combobox with the list pattern of ARIA. Its script opens it with Ctrl+K or
 * ⌘K, and requests the results from `/portal/palette`. If they are not available, Enter sends the text to the search.
 */
export function Palette() {
  const title = t('kit.palette.title');
  return (
    <Dialog id="palette" title={title} class="palette">
      <form method="get" action="/portal/search">
        <input
          type="text"
          name="q"
          role="combobox"
          aria-label={t('kit.palette.label')}
          aria-autocomplete="list"
          aria-controls="palette-results"
          aria-expanded="false"
          placeholder={t('kit.palette.label')}
          maxlength={TEXT_MAX_LENGTH}
          autocomplete="off"
          {...LITERAL}
        />
      </form>
      <div id="palette-results" role="listbox" aria-label={title} />
      <p class="soft" role="status" data-problem={t('kit.palette.failed')} />
    </Dialog>
  );
}
