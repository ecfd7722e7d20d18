import type { Element } from '../../jsx/elements.ts';
import { t } from '../i18n/t.ts';
import { Field, type FieldErrors } from './field.tsx';

/** The field for an email address, named `email`. It has the focus if there are no errors. */
export function EmailField(props: {
  readonly value: string;
  readonly autocomplete: 'username' | 'off';
  readonly help?: string;
  /** By default, the field has the focus if there are no errors. */
  readonly isFocused?: boolean;
  readonly errors: FieldErrors;
}): Element {
  const isFocused = props.isFocused ?? props.errors.length === 0;
  return (
    <Field
      {...props}
      name="email"
      label={t('account.fields.email')}
      type="email"
      isLiteral
      isFocused={isFocused}
    />
  );
}

/** The field for the user's password. */
export function CurrentPasswordField(props: {
  readonly name?: string;
  readonly label?: string;
  readonly errors?: FieldErrors;
  /** By default, the field has the focus if there are no errors. */
  readonly isFocused?: boolean;
}): Element {
  const { name = 'current', label = t('account.fields.currentPassword'), errors = [] } = props;
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
      help={t('account.fields.newPasswordHelp')}
      autocomplete="new-password"
      hasMeter
      errors={props.errors}
    />
  );
}
