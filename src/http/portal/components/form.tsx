import type { Children, Element } from '../../jsx/elements.ts';
import { TOKEN_FIELD } from '../kit/csrf.ts';
import { Field, type FieldError } from './field.tsx';

/** A request context that has a form token: every visit does. */
type FormVisit = { readonly formToken: string };

/** A form that is sent by POST, with its CSRF token. */
export function Form(props: {
  readonly visit: FormVisit;
  readonly action: string;
  /** For scripts. */
  readonly id?: string | undefined;
  readonly children?: Children;
}): Element {
  return (
    <form method="post" action={props.action} id={props.id}>
      <input type="hidden" name={TOKEN_FIELD} value={props.visit.formToken} />
      {props.children}
    </form>
  );
}

/** A form that searches or filters a list: it is sent by GET and has no token. */
export function SearchForm(props: { readonly action: string; readonly children?: Children }): Element {
  return (
    <search>
      <form method="get" action={props.action} class="filter">
        {props.children}
      </form>
    </search>
  );
}

export type ButtonTone = 'main' | 'quiet' | 'danger';

/** The button that sends a form. */
export function SubmitButton(props: {
  /** `main` by default. */
  readonly tone?: ButtonTone;
  /** The accessible name, if the text alone is ambiguous: `Remove: Ann`. */
  readonly label?: string;
  readonly children?: Children;
}): Element {
  return (
    <button type="submit" class={props.tone ?? 'main'} aria-label={props.label}>
      {props.children}
    </button>
  );
}

/** The submit button of a form, and a link that cancels it. */
export function FormActions(props: {
  readonly cancelPath: string;
  /** The submit button. */
  readonly children?: Children;
}): Element {
  return (
    <div class="buttons">
      {props.children}
      <a class="button quiet" href={props.cancelPath}>
        Cancel
      </a>
    </div>
  );
}

/** A form for an action that cannot be undone: the user types the name, in the field `typed_name`. */
export function ConfirmByName(props: {
  readonly visit: FormVisit;
  readonly action: string;
  readonly name: string;
  /** A sentence about the consequences. */
  readonly warning: string;
  /** The text of the submit button. */
  readonly button: string;
  readonly cancelPath: string;
  readonly errors?: readonly FieldError[] | undefined;
}): Element {
  return (
    <Form visit={props.visit} action={props.action}>
      <p>{props.warning}</p>
      <Field
        name="typed_name"
        label={`Type “${props.name}” to confirm`}
        autocomplete="off"
        isLiteral
        errors={props.errors}
      />
      <FormActions cancelPath={props.cancelPath}>
        <SubmitButton tone="danger">{props.button}</SubmitButton>
      </FormActions>
    </Form>
  );
}
