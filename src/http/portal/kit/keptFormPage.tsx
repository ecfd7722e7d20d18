import { DescriptionList } from '../components/descriptionList.tsx';
import { Field } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { t } from '../i18n/t.ts';
import { TOKEN_FIELD } from './csrf.ts';
import type { Visit } from './handler.ts';
import { isSecretField } from './heldForms.ts';
import { ONE_TIME_TOKEN_FIELD } from './oneTimeTokens.ts';
import { errorPage, page } from './responses.tsx';

/** Fields that the user did not enter: they are sent back, but not shown. */
const HIDDEN = [ONE_TIME_TOKEN_FIELD, 'token', 'username', 'return', 'state'];

/** Why a form was not processed, and the status of the page that says so. */
const STATUS = {
  /** The installation is in maintenance. */
  maintenance: 503,
  /** The server restarted while the user entered the password. */
  restarted: 409,
  /** The user has signed in again since the page with the form was opened. */
  earlierSession: 409,
} as const;

/** The response to a form that was not processed: the user can check the entered values and send them again. */
export function keptFormPage(visit: Visit, why: keyof typeof STATUS): Response {
  const title = t(`kit.kept.${why}.title`);
  if (visit.file !== undefined)
    return errorPage(visit, STATUS[why], title, `${t(`kit.kept.${why}.reason`)} ${t('kit.kept.file')}`);
  const sent = [...visit.form].filter(([name]) => name !== TOKEN_FIELD);
  const kept = sent.filter(([name]) => !isSecretField(name));
  const secrets = sent.filter(([name]) => isSecretField(name));
  const shown = kept.filter(([name, value]) => !HIDDEN.includes(name) && value !== '');
  const button = t(why === 'earlierSession' ? 'kit.kept.send' : 'kit.kept.sendAgain');
  const content = (
    <>
      <p>
        {t(`kit.kept.${why}.reason`)}
        {sent.length > 0 && ` ${t(`kit.kept.${why}.advice`)}`}
      </p>
      {shown.length > 0 && <DescriptionList items={shown.map(([name, value]) => [labelOf(name), value])} />}
      <Form visit={visit} action={visit.address} button={button} cancelPath="/portal">
        {kept.map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        {secrets.map(([name]) => (
          <Field name={name} label={labelOf(name)} type="password" autocomplete="off" />
        ))}
      </Form>
    </>
  );
  return page(visit, { title, content, status: STATUS[why] });
}

/** `validity_seconds` is `Validity seconds`. */
function labelOf(name: string): string {
  if (name === 'current') return t('account.fields.currentPassword');
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
