import type { Children } from '../../jsx/elements.ts';

/**
 * A modal dialog: it has the focus, the page below is inert, and Escape or a click beside it closes it.
 *
 * Browsers open it without a script (`command`, `closedby`). `static/portalDialogs.js` does the same in browsers that do not know
 * these attributes; there, without scripts, it is a popover.
 */
export function Dialog(props: {
  /** Unique on the page. */
  readonly id: string;
  readonly title: string;
  /** Buttons next to the title. */
  readonly actions?: Children;
  readonly class: string;
  readonly children?: Children;
}) {
  const { id, title, actions } = props;
  return (
    <dialog class={props.class} id={id} closedby="any" popover="auto" aria-labelledby={`${id}-title`}>
      <div class="dialog-head">
        <h2 id={`${id}-title`}>{title}</h2>
        {actions}
      </div>
      {props.children}
    </dialog>
  );
}

/** A button that opens or closes a dialog. */
export function DialogButton(props: {
  /** The id of the dialog. */
  readonly of: string;
  readonly does: 'open' | 'close';
  readonly class: string;
  /** The accessible name, if the text alone is ambiguous on the page. */
  readonly label?: string | undefined;
  /** Whether it has the focus when the dialog opens. */
  readonly isFirst?: boolean;
  readonly children?: Children;
}) {
  const { of, does, label, isFirst } = props;
  return (
    <button
      type="button"
      class={props.class}
      aria-label={label}
      commandfor={of}
      command={does === 'open' ? 'show-modal' : 'close'}
      popovertarget={of}
      popovertargetaction={does === 'open' ? 'show' : 'hide'}
      autofocus={isFirst}
    >
      {props.children}
    </button>
  );
}
