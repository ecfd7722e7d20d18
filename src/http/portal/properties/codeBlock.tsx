import type { Children } from '../../jsx/elements.ts';
import { CopyButton } from '../components/copyable.tsx';
import type { ColoredPart } from './snippets.ts';

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
export function CopyField(props: {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  /** The accessible name of the button. */
  readonly copyName: string;
}) {
  const { id, label, value, copyName } = props;
  return (
    <div class="copy-field">
      <dt>{label}</dt>
      <dd>
        <code id={id}>{value}</code>
        <CopyButton of={id} name={copyName} />
      </dd>
    </div>
  );
}
