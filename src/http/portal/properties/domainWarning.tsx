import type { Problem } from '../../../model/problems.ts';
import { Card } from '../components/card.tsx';
import type { FieldErrors } from '../components/field.tsx';
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
  const skip = { field: FIELD, text: `${button}, without the DNS check.` };
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
  return (
    <Card title="This domain does not resolve">
      <p>
        {problem === 'dns-unanswered' ? (
          <>
            The DNS servers that Postern uses did not answer for <code>{domain}</code> in time.
          </>
        ) : (
          <>
            The DNS servers that Postern uses have no address for <code>{domain}</code>.
          </>
        )}{' '}
        If the name is spelled correctly and your visitors can resolve it, for example on a closed network,
        continue without the check. The audit log records it.
      </p>
      <p class="help">
        <ReservedNote domain={domain} /> To turn the check off for every domain, the operator of this server
        can set <code>POSTERN_DNS_CHECK=off</code>; <code>POSTERN_DNS_SERVERS</code> selects other DNS
        servers.
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
  if (RESERVED.includes(top))
    return (
      <>
        Names that end in <code>.{top}</code> are reserved and never resolve in public DNS (RFC 2606, RFC
        6761). For a trial on the internet use <code>example.com</code>, which resolves.
      </>
    );
  return (
    <>
      For a trial on the internet use <code>example.com</code>, which resolves. Names that end in{' '}
      {RESERVED.map((name, index) => (
        <>
          {index > 0 && ', '}
          <code>.{name}</code>
        </>
      ))}{' '}
      are reserved and never resolve in public DNS (RFC 2606, RFC 6761).
    </>
  );
}
