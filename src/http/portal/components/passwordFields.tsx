import type { Element } from '../../jsx/elements.ts';
import { Field, type FieldError } from './field.tsx';

/** The field for the user's current password, named `current`. */
export function CurrentPasswordField(props: {
  readonly errors?: readonly FieldError[];
  /** By default, the field has the focus if there are no errors. */
  readonly isFocused?: boolean;
}): Element {
  const { errors = [], isFocused = errors.length === 0 } = props;
  return (
    <Field
      name="current"
      label="Current password"
      type="password"
      autocomplete="current-password"
      isFocused={isFocused}
      errors={errors}
    />
  );
}

/** The field for a new password, named `password`. */
export function NewPasswordField(props: {
  readonly label: string;
  readonly errors?: readonly FieldError[];
}): Element {
  return (
    <Field
      name="password"
      label={props.label}
      type="password"
      help="At least 8 characters. Common passwords and passwords based on your email address or organization are rejected. Several random words work well."
      autocomplete="new-password"
      hasMeter
      errors={props.errors}
    />
  );
}
