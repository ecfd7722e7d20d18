import type { Children } from '../../jsx/elements.ts';
import { t } from '../i18n/t.tsx';
import { Dialog, DialogButton } from './dialog.tsx';
import { Field, type FieldErrors, LITERAL } from './field.tsx';
import { Icon } from './icon.tsx';

/** A request context that has a form token: every visit does. */
type FormVisit = { readonly formToken: string };

/** A form that is sent by POST, with its CSRF token and its submit button. */
export function Form(props: {
  readonly visit: FormVisit;
  readonly action: string;
  readonly id?: string;
  /** The text of the submit button; undefined if the children contain the button. */
  readonly button?: string;
  readonly tone?: ButtonTone | undefined;
  /** Makes the server accept the form once. */
  readonly oneTimeToken?: string | undefined;
  /** Adds a link that cancels the form. */
  readonly cancelPath?: string;
  /** For files, and for forms of more than 64 KiB. */
  readonly enctype?: 'multipart/form-data';
  readonly class?: string;
  readonly children?: Children;
}) {
  const { button, tone, oneTimeToken, cancelPath } = props;
  const submitButton = button !== undefined && <SubmitButton tone={tone}>{button}</SubmitButton>;
  return (
    <form method="post" action={props.action} id={props.id} enctype={props.enctype} class={props.class}>
      <input type="hidden" name={TOKEN_FIELD} value={props.visit.formToken} />
      {oneTimeToken !== undefined && <input type="hidden" name={ONE_TIME_TOKEN_FIELD} value={oneTimeToken} />}
      {props.children}
      {cancelPath === undefined ? (
        submitButton
      ) : (
        <div class="buttons">
          {submitButton}
          <ButtonLink path={cancelPath} text={t('components.cancel')} tone="quiet" />
        </div>
      )}
    </form>
  );
}

/** A form with a paragraph that explains what its only button does. The tone is `danger` by default. */
export function ActionForm(props: Parameters<typeof Form>[0]) {
  return (
    <Form tone="danger" {...props}>
      <p>{props.children}</p>
    </Form>
  );
}

/**
 * A form that searches or filters a list: it is sent by GET and has no token.
 *
 * @param props.isLive whether a script applies changes at once, and replaces the `Results` of the page; it hides the button
 * @param props.order the order of the list, if the user has chosen one
 */
export function SearchForm(props: {
  readonly action: string;
  readonly button: string;
  readonly isLive?: boolean;
  readonly order?: string | undefined;
  readonly children?: Children;
}) {
  const { isLive = false, order } = props;
  return (
    <search>
      {isLive && (
        <p class="help" id="filter-note" hidden>
          {t('components.filter.note')}
        </p>
      )}
      <form method="get" action={props.action} class="filter" data-live={isLive ? '' : undefined}>
        {props.children}
        {order !== undefined && <input type="hidden" name="sort" value={order} />}
        <SubmitButton tone="quiet">{props.button}</SubmitButton>
      </form>
    </search>
  );
}

/** The field for the text in the filter of a list, named `q`. @param props.isLiteral as for `Field` */
export function FilterField(props: {
  readonly label: string;
  readonly text: string;
  readonly isLiteral?: boolean;
}) {
  return (
    <div class="field">
      <label for="filter-text">{props.label}</label>
      <input
        id="filter-text"
        name="q"
        type="search"
        value={props.text}
        maxlength={TEXT_MAX_LENGTH}
        autocomplete="off"
        {...(props.isLiteral && LITERAL)}
      />
    </div>
  );
}

type ButtonTone = 'main' | 'quiet' | 'danger';

/** @param props.tone `main` by default */
export function SubmitButton(props: {
  readonly tone?: ButtonTone | undefined;
  readonly children?: Children;
}) {
  return (
    <button type="submit" class={props.tone ?? 'main'}>
      {props.children}
    </button>
  );
}

type ButtonLinkProps = {
  readonly path: string;
  readonly text: string;
  readonly tone?: 'quiet' | 'danger';
};

/** A link that looks like a button. */
export function ButtonLink({ path, text, tone }: ButtonLinkProps) {
  return (
    <a class={tone === undefined ? 'button' : `button ${tone}`} href={path}>
      {text}
    </a>
  );
}

/** The same link in its own paragraph. */
export function LinkButton(props: ButtonLinkProps) {
  return (
    <p>
      <ButtonLink {...props} />
    </p>
  );
}

/** A button that downloads a file. */
export function DownloadLink({ path, text }: Pick<ButtonLinkProps, 'path' | 'text'>) {
  return (
    <a class="button quiet" href={path} download>
      <Icon name="download" /> {text}
    </a>
  );
}

/** A form for an action that cannot be undone: the user types the name, in the field `typed_name`. */
export function ConfirmByName(props: {
  readonly visit: FormVisit;
  readonly action: string;
  readonly name: string;
  readonly warning: string;
  readonly button: string;
  readonly cancelPath: string;
  readonly errors?: FieldErrors | undefined;
}) {
  const { name, warning, errors, ...form } = props;
  const label = t('components.confirmName', { name });
  return (
    <Form {...form} tone="danger">
      <p>{warning}</p>
      <Field name="typed_name" label={label} autocomplete="off" isLiteral errors={errors} />
    </Form>
  );
}

export const TOKEN_FIELD = 'form_token';

export const ONE_TIME_TOKEN_FIELD = 'one_time_token';

/** The maximum length of a search text: that of a domain name, which is longer than any property name. */
export const TEXT_MAX_LENGTH = 253;

/**
 * A button for an action that cannot be undone or that affects others. It opens a dialog with the consequence and the form that
 * performs the action.
 */
export function ConfirmButton(props: {
  readonly visit: { readonly formToken: string };
  readonly action: string;
  /** Unique on the page. */
  readonly id: string;
  /** The text of both buttons: a verb and a noun. */
  readonly button: string;
  /** The accessible name of the first button, if the text alone is ambiguous on the page: `Remove Ann`. */
  readonly label?: string;
  /** A question: `Revoke “backend”?` */
  readonly title: string;
  /** Fields of the form. */
  readonly fields?: Children;
  /** `danger` by default. */
  readonly tone?: 'danger' | 'main';
  /** Makes the server accept the form once. */
  readonly oneTimeToken?: string;
  /** Makes the first button small, for tables. */
  readonly isSmall?: boolean;
  /** What the action causes. */
  readonly children?: Children;
}) {
  const { visit, action, id, button, label, title, tone = 'danger', oneTimeToken } = props;
  const dialog = `confirm-${id}`;
  return (
    <>
      <DialogButton
        of={dialog}
        does="open"
        class={`${tone === 'danger' ? 'danger outline' : 'quiet'}${props.isSmall ? ' small' : ''}`}
        label={label}
      >
        {button}
      </DialogButton>
      <Dialog id={dialog} title={title} class="confirm">
        <div class="consequence">{props.children}</div>
        <Form visit={visit} action={action} oneTimeToken={oneTimeToken}>
          {props.fields}
          <div class="buttons">
            <DialogButton of={dialog} does="close" class="quiet" isFirst>
              {t('components.cancel')}
            </DialogButton>
            <button type="submit" class={tone}>
              {button}
            </button>
          </div>
        </Form>
      </Dialog>
    </>
  );
}
