import type { Element } from '../../jsx/elements.ts';
import { t } from '../i18n/t.ts';

/** Text with a button that copies it. Without scripts, the button is hidden. */
export function Copyable(props: {
  readonly id: string;
  readonly text: string;
  readonly label: string;
}): Element {
  return (
    <div class="copyable">
      <code id={props.id}>{props.text}</code>
      <button type="button" class="quiet" data-copy={props.id} data-copied={t('components.copied')} hidden>
        {props.label}
      </button>
    </div>
  );
}

/** A small button that copies a text. Without scripts, it is hidden. */
export function CopyButton(props: {
  readonly of: string;
  /** Names the text for screen readers. */
  readonly name: string;
}): Element {
  return (
    <button
      type="button"
      class="quiet small"
      data-copy={props.of}
      aria-label={t('components.copyNamed', { name: props.name })}
      data-copied={t('components.copied')}
      hidden
    >
      {t('components.copy')}
    </button>
  );
}
