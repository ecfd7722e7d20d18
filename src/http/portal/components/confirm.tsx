import type { Children, Element } from '../../jsx/elements.ts';
import { t } from '../i18n/t.ts';
import { Form } from './form.tsx';

/**
 * A button for an action that cannot be undone or that affects others. It opens a dialog with the consequence and the form that
 * performs the action. It works without scripts: the dialog is a popover, and browsers without popovers show it below the button.
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
}): Element {
  const { visit, action, id, button, label, title, tone = 'danger', oneTimeToken } = props;
  const dialog = `confirm-${id}`;
  return (
    <>
      <button
        type="button"
        class={`${tone === 'danger' ? 'danger outline' : 'quiet'}${props.isSmall ? ' small' : ''}`}
        aria-label={label}
        popovertarget={dialog}
      >
        {button}
      </button>
      <div class="confirm" id={dialog} popover="auto" role="dialog" aria-labelledby={`${dialog}-title`}>
        <h2 id={`${dialog}-title`}>{title}</h2>
        <div class="consequence">{props.children}</div>
        <Form visit={visit} action={action} {...(oneTimeToken !== undefined && { oneTimeToken })}>
          {props.fields}
          <div class="buttons">
            <button type="button" class="quiet" popovertarget={dialog} popovertargetaction="hide" autofocus>
              {t('components.cancel')}
            </button>
            <button type="submit" class={tone}>
              {button}
            </button>
          </div>
        </Form>
      </div>
    </>
  );
}
