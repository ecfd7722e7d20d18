import type { Element } from '../../jsx/elements.ts';
import { Field, type FieldErrors } from './field.tsx';

/** The field for an email address, named `email`. It has the focus if there are no errors. */
export function EmailField(props: {
  readonly value: string;
  readonly autocomplete: 'username' | 'off';
  readonly help?: string;
  readonly errors: FieldErrors;
}): Element {
  const isFocused = props.errors.length === 0;
  return <Field {...props} name="email" label="Email address" type="email" isLiteral isFocused={isFocused} />;
}

/** The field for the user's password. */
export function CurrentPasswordField(props: {
  readonly name?: string;
  readonly label?: string;
  readonly errors?: FieldErrors;
  /** By default, the field has the focus if there are no errors. */
  readonly isFocused?: boolean;
}): Element {
  const { name = 'current', label = 'Current password', errors = [] } = props;
  const isFocused = props.isFocused ?? errors.length === 0;
  const fixed = { type: 'password', autocomplete: 'current-password' } as const;
  return <Field {...fixed} name={name} label={label} isFocused={isFocused} errors={errors} />;
}

/** The field for a new password, named `password`. */
export function NewPasswordField(props: { readonly label: string; readonly errors?: FieldErrors }): Element {
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
