import { DescriptionList } from '../components/descriptionList.tsx';
import { Field } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { TOKEN_FIELD } from './csrf.ts';
import type { Visit } from './handler.ts';
import { ONE_TIME_TOKEN_FIELD } from './oneTimeTokens.ts';
import { page } from './responses.tsx';

/** Fields that are never sent back to the browser; the user enters them again. */
const SECRET = /^current$|password|code/;

/** Fields that the user did not enter: they are sent back, but not shown. */
const HIDDEN = [ONE_TIME_TOKEN_FIELD, 'token', 'username', 'return', 'state'];

/** The response to a form during maintenance (503): nothing was changed, and the entered values can be sent again. */
export function maintenancePage(visit: Visit): Response {
  const sent = [...visit.form].filter(([name]) => name !== TOKEN_FIELD);
  const kept = sent.filter(([name]) => !SECRET.test(name));
  const secrets = sent.filter(([name]) => SECRET.test(name));
  const shown = kept.filter(([name, value]) => !HIDDEN.includes(name) && value !== '');
  const content = (
    <>
      <p>
        The server rejects changes during maintenance, so nothing was changed.
        {sent.length > 0 && ' This page keeps what you entered: send it again when maintenance is over.'}
      </p>
      {shown.length > 0 && <DescriptionList items={shown.map(([name, value]) => [labelOf(name), value])} />}
      <Form visit={visit} action={visit.address} button="Send again" cancelPath="/portal">
        {kept.map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        {secrets.map(([name]) => (
          <Field name={name} label={labelOf(name)} type="password" autocomplete="off" />
        ))}
      </Form>
    </>
  );
  return page(visit, { title: 'In maintenance', content, status: 503 });
}

/** `validity_seconds` is `Validity seconds`. */
function labelOf(name: string): string {
  if (name === 'current') return 'Current password';
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
