import type { Children } from '../../jsx/elements.ts';
import { t } from '../i18n/t.tsx';
import { Icon } from './icon.tsx';

/** Text with a button that copies it. Without scripts, the button is hidden. */
export function Copyable(props: { readonly id: string; readonly text: string; readonly label: string }) {
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
function CopyButton(props: {
  readonly of: string;
  /** Names the text for screen readers. */
  readonly name: string;
  readonly isIcon?: boolean;
}) {
  const text = t('components.copy');
  return (
    <button
      type="button"
      class={props.isIcon ? 'quiet small icon-button' : 'quiet small'}
      title={props.isIcon ? text : undefined}
      data-copy={props.of}
      aria-label={t('components.copyNamed', { name: props.name })}
      data-copied={t('components.copied')}
      hidden
    >
      {props.isIcon ? <Icon name="copy" /> : text}
    </button>
  );
}

/** A part of a code with its color: `k`eyword, `s`tring, `c`omment, `n`umber, `f`unction or name; empty for plain text. */
export type ColoredPart = readonly [color: string, text: string];

/** A sitekey, of which the style sheet shows the first digits, with a button that copies it. Selecting it selects all digits. */
export function Sitekey(props: {
  readonly sitekey: string;
  /** Unique on the page. */
  readonly id: string;
  /** The name of its property. */
  readonly name: string;
}) {
  const { sitekey, id, name } = props;
  return (
    <span class="sitekey">
      <code id={id} title={sitekey}>
        {sitekey}
      </code>
      <CopyButton of={id} name={t('components.sitekeyOf', { name })} isIcon />
    </span>
  );
}

/** Code with a note above it, and with a button that copies it. Without scripts, the button is hidden. */
export function CodeBlock(props: {
  readonly id: string;
  /** Names the code for screen readers. */
  readonly name: string;
  readonly code: readonly ColoredPart[];
  /** The note. */
  readonly children?: Children;
}) {
  const id = `snippet-${props.id}`;
  return (
    <div class="snippet">
      <div class="snippet-head">
        <p>{props.children}</p>
        <CopyButton of={id} name={props.name} />
      </div>
      <section aria-label={props.name} tabindex={0}>
        <pre>
          <code id={id}>
            {props.code.map(([color, text]) => (color === '' ? text : <span class={color}>{text}</span>))}
          </code>
        </pre>
      </section>
    </div>
  );
}

/** A short value with its label and a button that copies it. */
export function CopyField(props: { readonly id: string; readonly label: string; readonly value: string }) {
  const { id, label, value } = props;
  return (
    <div class="copy-field">
      <dt>{label}</dt>
      <dd>
        <code id={id}>{value}</code>
        <CopyButton of={id} name={label} />
      </dd>
    </div>
  );
}
