import type { Children, IntrinsicElements } from '../../jsx/elements.ts';
import { API_KEY_FIELDS } from '../../model/apiKeyFields.ts';
import { PLAN_FIELDS } from '../../model/plan.ts';
import { PROPERTY_FIELDS } from '../../model/propertyFields.ts';
import type { Catalog } from '../i18n/catalog.ts';
import { type NameIn, optionalText, t, textAt } from '../i18n/t.tsx';
import { Icon } from './icon.tsx';

/** An error in a form. The page lists it at the top and repeats it beside its field. */
export type FieldError = {
  /** The name of the field; undefined if the error is about the whole form. */
  readonly field?: string;
  readonly text: string;
};

export type FieldErrors = readonly FieldError[];

/** The texts of a field in the model. */
export type FieldText = { readonly name: string; readonly label: string; readonly help: string };

type FieldGroup = keyof Catalog['fields'];

/** @returns the name of a field in forms, and its label and help in the language of the page */
export function fieldText<Group extends FieldGroup>(
  group: Group,
  key: keyof Catalog['fields'][Group] & string,
): FieldText {
  // TypeScript cannot derive that the key belongs to the group.
  const path = `fields.${group}.${key}` as 'fields.plan.properties';
  const fields: Readonly<Record<string, { readonly name: string }>> = MODEL_FIELDS[group];
  return { name: fields[key]?.name ?? key, label: t(`${path}.label`), help: t(`${path}.help`) };
}

/** A form as the user filled it in: the values by the names of the fields, and what is wrong with them. */
export type FormState<Typed> = { readonly typed: Typed; readonly errors: FieldErrors };

/** A form that was not sent yet, or that was rejected with errors. */
export function formState<Typed>(typed: Typed, errors: FieldErrors = []): FormState<Typed> {
  return { typed, errors };
}

type Camel<Name extends string> = Name extends `${infer Word}_${infer Rest}`
  ? `${Word}${Capitalize<Camel<Rest>>}`
  : Name;

/**
 * Finds the texts, the values, and the errors of the fields of a form: `const field = fieldsFor('apiKeys.form', form)`, and then
 * `<Checkbox {...field('read_only')} />`, whose label is the text `apiKeys.form.readOnly` and whose help is `readOnlyHelp`, if it exists.
 *
 * @param part of the catalog
 * @returns a function that returns the attributes of a field. Attributes that follow replace them, such as a help with values
 */
export function fieldsFor<Part extends string, Typed>(part: Part, { typed, errors }: FormState<Typed>) {
  return <Name extends keyof Typed & string>(name: Camel<Name> extends NameIn<Part> ? Name : never) => {
    const key = `${part}.${name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())}`;
    return { name, label: textAt(key), help: optionalText(`${key}Help`), value: typed[name as Name], errors };
  };
}

const MODEL_FIELDS = { apiKey: API_KEY_FIELDS, plan: PLAN_FIELDS, property: PROPERTY_FIELDS } as const;

type FieldProps = {
  /** Also the id of the input. */
  readonly name: string;
  readonly label: string;
  readonly help?: string | undefined;
  /** All errors of the form. The field shows its own. */
  readonly errors?: FieldErrors | undefined;
};

type InputProps = FieldProps & {
  /** `text` by default. */
  readonly type?: 'text' | 'email' | 'password' | 'search' | 'number' | 'date';
  /** Never a password. */
  readonly value?: string;
  readonly autocomplete?: IntrinsicElements['input']['autocomplete'];
  readonly inputmode?: 'numeric' | 'email';
  /** Of a number or a day, inclusive. */
  readonly range?: { readonly min: number | string; readonly max: number | string };
  /** If false, which is the default, the browser requires a value. */
  readonly isOptional?: boolean;
  readonly isFocused?: boolean;
  /** Turns off spelling correction and capital letters, for values such as domains and codes. */
  readonly isLiteral?: boolean;
  /** A script shows the strength of the password. */
  readonly hasMeter?: boolean;
};

/** An input with its label, help text, and error. */
export function Field(props: InputProps) {
  const { name, label, type = 'text', value = '', range, isOptional = false } = props;
  return (
    <div class="field">
      <label for={name}>
        {label}
        {isOptional && ' '}
        {isOptional && <span class="optional">{t('components.optional')}</span>}
      </label>
      <Notes {...props} />
      <div class={type === 'password' ? 'password' : undefined}>
        <input
          id={name}
          name={name}
          type={type}
          value={value}
          required={!isOptional}
          autocomplete={props.autocomplete}
          inputmode={props.inputmode}
          min={range?.min}
          max={range?.max}
          {...(props.isLiteral && LITERAL)}
          autofocus={props.isFocused}
          {...descriptionOf(props)}
        />
        {type === 'password' && revealButton(name, label)}
      </div>
      {props.hasMeter && (
        <p class="strength" data-strength-of={name} {...strengthTexts()} role="status" hidden />
      )}
    </div>
  );
}

/** Attributes of inputs for values such as domains and codes, which browsers must not correct. */
export const LITERAL = { autocapitalize: 'none', spellcheck: false } as const;

/** Shows or hides the characters of a password. It works with the script of the page, which makes it visible. */
function revealButton(name: string, label: string) {
  const text = t('components.reveal', { field: label });
  return (
    <button
      type="button"
      class="quiet reveal"
      data-reveal={name}
      aria-controls={name}
      aria-pressed="false"
      aria-label={text}
      title={text}
      hidden
    >
      <Icon name="reveal" />
    </button>
  );
}

/** The texts that the script of the page shows. */
function strengthTexts() {
  return {
    'data-weak': t('components.strength.weak'),
    'data-fair': t('components.strength.fair'),
    'data-strong': t('components.strength.strong'),
  };
}

type Options = {
  readonly value: string;
  readonly options: Readonly<Record<string, string>>;
};

/** A list from which the user selects one option. @param props.areLanguages whether the keys are language tags, and the texts are in these languages; except `auto` */
export function Select(props: FieldProps & Options & { readonly areLanguages?: boolean }) {
  const { name, label, value, options, areLanguages = false } = props;
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <Notes {...props} />
      <select id={name} name={name} {...descriptionOf(props)}>
        {Object.entries(options).map(([key, text]) => (
          <option
            value={key}
            lang={areLanguages && key !== 'auto' ? key : undefined}
            selected={key === value}
          >
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

/** A text of several lines. */
export function TextArea(
  props: FieldProps & {
    readonly value: string;
    readonly isOptional?: boolean;
    /** Turns off spelling correction and capital letters. */
    readonly isLiteral?: boolean;
    /** The height in lines; 3 by default. */
    readonly rows?: number;
  },
) {
  const { name, label, value, isOptional = false, rows = 3 } = props;
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <Notes {...props} />
      <textarea
        id={name}
        name={name}
        rows={rows}
        required={!isOptional}
        autocomplete="off"
        {...(props.isLiteral && LITERAL)}
        {...descriptionOf(props)}
      >
        {`\n${value}`}
      </textarea>
    </div>
  );
}

/** A field for a file. Its form must have the type `multipart/form-data`. @param props.accept extensions and media types */
export function FileField(props: FieldProps & { readonly accept: string; readonly isOptional?: boolean }) {
  const { name, label, accept, isOptional = false } = props;
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <Notes {...props} />
      <input
        type="file"
        id={name}
        name={name}
        accept={accept}
        required={!isOptional}
        {...descriptionOf(props)}
      />
    </div>
  );
}

/** A checkbox. A form sends it as `on` if it is checked, and otherwise not at all. @param props.value whether it is checked */
export function Checkbox(props: FieldProps & { readonly value: boolean }) {
  const { name, label, value } = props;
  return (
    <div class="field check">
      <input type="checkbox" id={name} name={name} checked={value} {...descriptionOf(props)} />
      <label for={name}>{label}</label>
      <Notes {...props} />
    </div>
  );
}

/**
 * Fields that belong to the choice before them: an option of `Radios`, a checkbox, or a list. A style sheet shows them while the
 * choice is selected; browsers without `:has()` always show them.
 */
export function When({ children }: { readonly children?: Children }) {
  return <div class="when">{children}</div>;
}

/** Radio buttons, one per line. The id of the first one is the name. @param props.fields of an option, which follow it */
export function Radios(
  props: FieldProps & Options & { readonly fields?: Readonly<Record<string, Children>> },
) {
  const { name, label, help, value, options, fields = {} } = props;
  const error = errorOf(props);
  return (
    <fieldset class="field" aria-describedby={error && errorId(name)}>
      <legend>{label}</legend>
      {help !== undefined && <p class="help">{help}</p>}
      {error !== undefined && errorNote(name, error)}
      {Object.entries(options).map(([key, text], index) => {
        const id = index === 0 ? name : `${name}-${key}`;
        return (
          <>
            <div class="check">
              <input type="radio" id={id} name={name} value={key} checked={key === value} required />
              <label for={id}>{text}</label>
            </div>
            {key in fields && <When>{fields[key]}</When>}
          </>
        );
      })}
    </fieldset>
  );
}

/** The help text and the error of a field. */
export function Notes(props: FieldProps) {
  const { name, help } = props;
  const error = errorOf(props);
  return (
    <>
      {help !== undefined && (
        <p class="help" id={helpId(name)}>
          {help}
        </p>
      )}
      {error !== undefined && errorNote(name, error)}
    </>
  );
}

function errorNote(name: string, { text }: FieldError) {
  return (
    <p class="error" id={errorId(name)}>
      {text}
    </p>
  );
}

/** Attributes that connect an input with its help text and its error. */
export function descriptionOf(props: FieldProps) {
  const { name, help } = props;
  const error = errorOf(props);
  const ids = [help !== undefined && helpId(name), error && errorId(name)].filter(Boolean);
  return {
    'aria-invalid': error === undefined ? undefined : 'true',
    'aria-describedby': ids.length === 0 ? undefined : ids.join(' '),
  } as const;
}

function errorOf({ name, errors = [] }: FieldProps): FieldError | undefined {
  return errors.find(({ field }) => field === name);
}

function helpId(name: string): string {
  return `${name}-help`;
}

function errorId(name: string): string {
  return `${name}-error`;
}
