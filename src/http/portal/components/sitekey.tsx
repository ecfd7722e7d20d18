import type { Element } from '../../jsx/elements.ts';
import { t } from '../i18n/t.ts';
import { CopyButton } from './copyable.tsx';

/** A sitekey, of which the style sheet shows the first digits, with a button that copies it. Selecting it selects all digits. */
export function Sitekey(props: {
  readonly sitekey: string;
  /** Unique on the page. */
  readonly id: string;
  /** The name of its property. */
  readonly name: string;
}): Element {
  const { sitekey, id, name } = props;
  return (
    <span class="sitekey">
      <code id={id} title={sitekey}>
        {sitekey}
      </code>
      <CopyButton of={id} name={t('components.sitekeyOf', { name })} />
    </span>
  );
}
