import { t } from '../i18n/t.tsx';
import { Field, type FieldErrors } from './field.tsx';

/** The field for an email address, named `email`. It has the focus if there are no errors. */
export function EmailField(props: {
  readonly value: string;
  readonly autocomplete: 'username' | 'off';
  readonly help?: string;
  /** By default, the field has the focus if there are no errors. */
  readonly isFocused?: boolean;
  readonly errors: FieldErrors;
}) {
  const isFocused = props.isFocused ?? props.errors.length === 0;
  const fixed = { name: 'email', type: 'email', isLiteral: true } as const;
  return <Field {...props} {...fixed} label={t('account.fields.email')} isFocused={isFocused} />;
}

/** The field for the user's password. */
export function CurrentPasswordField(props: {
  readonly name?: string;
  readonly label?: string;
  readonly errors?: FieldErrors;
  /** By default, the field has the focus if there are no errors. */
  readonly isFocused?: boolean;
}) {
  const { name = 'current', label = t('account.fields.currentPassword'), errors = [] } = props;
  const isFocused = props.isFocused ?? errors.length === 0;
  const fixed = { type: 'password', autocomplete: 'current-password' } as const;
  return <Field {...fixed} name={name} label={label} isFocused={isFocused} errors={errors} />;
}

/** The field for a code of an authenticator app, named `code`. */
export function CodeField(props: Omit<Parameters<typeof Field>[0], 'name'>) {
  return <Field {...props} name="code" autocomplete="one-time-code" isLiteral />;
}

/** The field for a new password, named `password`. */
export function NewPasswordField(props: { readonly label: string; readonly errors?: FieldErrors }) {
  const fixed = { name: 'password', type: 'password', autocomplete: 'new-password', hasMeter: true } as const;
  return <Field {...props} {...fixed} help={t('account.fields.newPasswordHelp')} />;
}
