import type { Problem } from '../../../model/problems.ts';
import { Card } from '../components/card.tsx';
import type { FieldErrors } from '../components/field.tsx';
import { rich } from '../i18n/rich.tsx';
import { t } from '../i18n/t.ts';
import { fieldOf } from '../kit/formData.ts';
import { fieldErrorOf } from '../kit/messages.ts';

/** The rejection of a form for a property. */
export type PropertyRejection = {
  readonly errors: FieldErrors;
  /** The domain that the DNS check rejected. */
  readonly unresolved?: { readonly domain: string; readonly problem: Problem };
};

/** The button that skips the DNS check. Its value is the domain that the warning was about. */
const FIELD = 'accept_unresolved';

/** Top-level domains that never resolve in public DNS (RFC 2606 section 2, RFC 6761 section 6). */
const RESERVED = ['test', 'example', 'invalid'];

/** Whether the user skipped the DNS check for exactly this domain; a domain entered after the warning is checked again. */
export function skipsCheckOf(form: URLSearchParams, domain: string): boolean {
  return fieldOf(form, FIELD) === domain;
}

/** @param button the text of the button in `DomainWarning` */
export function rejectionOf(problem: Problem, domain: string, button: string): PropertyRejection {
  const error = fieldErrorOf(problem);
  if (problem !== 'domain-unresolved' && problem !== 'dns-unanswered') return { errors: [error] };
  const skip = { field: FIELD, text: t('properties.dns.skip', { button }) };
  return { errors: [error, skip], unresolved: { domain, problem } };
}

/** Explains a rejection by the DNS check and offers to continue. Must follow the form's own button, because the Enter key presses the first one. */
export function DomainWarning(props: {
  readonly rejection: PropertyRejection;
  /** The text of the button that continues. */
  readonly button: string;
}) {
  const { button } = props;
  const { unresolved } = props.rejection;
  if (unresolved === undefined) return <></>;
  const { domain, problem } = unresolved;
  const code = () => <code>{domain}</code>;
  return (
    <Card title={t('properties.dns.title')}>
      <p>
        {problem === 'dns-unanswered'
          ? rich('properties.dns.unanswered', { code })
          : rich('properties.dns.unresolved', { code })}{' '}
        {t('properties.dns.advice')}
      </p>
      <p class="help">
        <ReservedNote domain={domain} />{' '}
        {rich('properties.dns.settings', {
          check: () => <code>POSTERN_DNS_CHECK=off</code>,
          servers: () => <code>POSTERN_DNS_SERVERS</code>,
        })}
      </p>
      <p>
        <button type="submit" class="quiet" id={FIELD} name={FIELD} value={domain}>
          {button}
        </button>
      </p>
    </Card>
  );
}

function ReservedNote({ domain }: { readonly domain: string }) {
  const top = domain.slice(domain.lastIndexOf('.') + 1);
  const example = () => <code>example.com</code>;
  if (RESERVED.includes(top))
    return rich('properties.dns.reserved', { code: () => <code>.{top}</code>, example });
  return rich('properties.dns.example', {
    example,
    test: () => <code>.test</code>,
    reserved: () => <code>.example</code>,
    invalid: () => <code>.invalid</code>,
  });
}
