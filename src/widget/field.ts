import { attempt } from './console.ts';

export type Field = HTMLInputElement | HTMLTextAreaElement;

/** The properties in which Postern's own widgets and those that replace a vendor's widgets differ. */
export type MountKind = {
  readonly cssClass: string;
  /** The default name of the field. */
  readonly fieldName: string;
  /** The prefix of event names. */
  readonly eventPrefix: string;
  readonly createField: () => Field;
  /** Converts a solution to the field's value. */
  readonly toToken: (solution: string, element: HTMLElement) => string;
};

/** A hidden field that contains the unchanged solution. */
export const PLAIN_FIELD = {
  createField(): Field {
    const field = document.createElement('input');
    field.type = 'hidden';
    return field;
  },
  toToken: (solution: string) => solution,
};

// Includes `input`, because a field may have had the focus before this script was loaded or during a reset.
const FORM_EVENTS = ['focusin', 'input', 'reset', 'submit', 'formdata'];

/**
 * Listens to events of the field's form, and of elements that belong to it through their `form` attribute.
 *
 * @returns a function that checks which form the field is in
 */
export function watchForm(field: Field, onEvent: (event: Event) => void): () => void {
  let root: Node | null = null;
  const filter = (event: Event) =>
    attempt(() => {
      const { form } = field;
      const target = event.target as HTMLInputElement;
      // A link, such as the one of the widget, is not a field.
      if (event.composedPath()[0] instanceof HTMLAnchorElement) return;
      // A field with the name `contains` overrides the form's method.
      if (form && (target.form === form || Node.prototype.contains.call(form, target))) onEvent(event);
    });
  return () => {
    const next = field.isConnected && field.form ? field.getRootNode() : null;
    if (next === root) return;
    for (const type of FORM_EVENTS) {
      root?.removeEventListener(type, filter, true);
      next?.addEventListener(type, filter, true);
    }
    root = next;
  };
}
