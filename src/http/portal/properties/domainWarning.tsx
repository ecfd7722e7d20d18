import { type Html, html } from '../../../lib/html.ts';
import type { Problem } from '../../../model/problems.ts';
import { card, type Mistake } from '../components/parts.tsx';
import { fieldOf } from '../kit/formData.ts';
import { propertyMistake } from './propertyForm.tsx';

/** A domain that the DNS check rejected. */
export type Unresolved = { readonly domain: string; readonly problem: Problem };

/** The button that skips the DNS check. Its value is the domain that the warning was about. */
const FIELD = 'accept_unresolved';

/** Top-level domains that never resolve in public DNS (RFC 2606 section 2, RFC 6761 section 6). */
const RESERVED = ['test', 'example', 'invalid'];

/** Whether the user skipped the DNS check for exactly this domain; a domain entered after the warning is checked again. */
export function skipsCheckOf(form: URLSearchParams, domain: string): boolean {
  return fieldOf(form, FIELD) === domain;
}

/** @returns undefined for any other problem */
export function unresolvedBy(problem: Problem, domain: string): Unresolved | undefined {
  return problem === 'domain-unresolved' || problem === 'dns-unanswered' ? { domain, problem } : undefined;
}

/** The messages at the top of the page for a rejected change. @param label of the button of `domainWarning` */
export function mistakesOf(
  problem: Problem,
  unresolved: Unresolved | undefined,
  label: string,
): readonly Mistake[] {
  const mistake = propertyMistake(problem);
  if (unresolved === undefined) return [mistake];
  return [mistake, { field: FIELD, text: `${label}, without the DNS check.` }];
}

/** Explains the rejection and offers to continue. Must follow the form's own button, because the Enter key presses the first one. */
export function domainWarning(unresolved: Unresolved | undefined, label: string): Html {
  if (unresolved === undefined) return html``;
  const { domain, problem } = unresolved;
  const reason =
    problem === 'dns-unanswered'
      ? html`The DNS servers that Postern uses did not answer for <code>${domain}</code> in time.`
      : html`The DNS servers that Postern uses have no address for <code>${domain}</code>.`;
  const content = html`<p>${reason} If the name is spelled correctly and your visitors can resolve it, for example on a closed
network, continue without the check. The audit log records it.</p>
<p class="help">${reservedNote(domain)} To turn the check off for every domain, the operator of this server can set
<code>POSTERN_DNS_CHECK=off</code>; <code>POSTERN_DNS_SERVERS</code> selects other DNS servers.</p>
<p><button type="submit" class="quiet" id="${FIELD}" name="${FIELD}" value="${domain}">${label}</button></p>`;
  return card('This domain does not resolve', content);
}

function reservedNote(domain: string): Html {
  const top = domain.slice(domain.lastIndexOf('.') + 1);
  const names = RESERVED.map((name, at) => html`${at === 0 ? '' : ', '}<code>.${name}</code>`);
  return RESERVED.includes(top)
    ? html`Names that end in <code>.${top}</code> are reserved and never resolve in public DNS (RFC 2606, RFC 6761). For a trial on the
internet use <code>example.com</code>, which resolves.`
    : html`For a trial on the internet use <code>example.com</code>, which resolves. Names that end in ${names} are reserved and never resolve in
public DNS (RFC 2606, RFC 6761).`;
}
