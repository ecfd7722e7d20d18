import { type Html, html } from '../../../lib/html.ts';
import type { AddressExplanation } from '../../requestContext.ts';
import { table } from './parts.tsx';

/** Which address the server sees for who asks, and why: for who puts a proxy in front. */
export function addressPart(explanation: AddressExplanation): Html {
  const { address, countedAs, header, headerValue, hops } = explanation;
  const way = table({
    caption: 'The way of this request, from the connection back',
    head: ['Address', 'A proxy that is trusted'],
    rows: hops.map((hop) => [html`<code class="long">${hop.address}</code>`, hop.isTrusted ? 'Yes' : 'No']),
    empty: 'The connection was closed before the server could look.',
  });
  return html`<p>The server takes your address to be <code>${address ?? 'unknown'}</code>. ${REASONS[explanation.reason](explanation)}</p>
<p>If that is not the address of your own connection to the internet, all your visitors may look like one, and share its
rate and difficulty. ${ADVICE[explanation.reason]}</p>
<dl>
<div><dt>Counted as</dt><dd><code>${countedAs ?? 'unknown'}</code></dd></div>
<div><dt>Header <code>${header}</code></dt><dd>${headerValue === null ? 'was not sent' : html`<code>${headerValue}</code>`}</dd></div>
</dl>
${way}`;
}

type Reason = AddressExplanation['reason'];

const REASONS: Readonly<Record<Reason, (explanation: AddressExplanation) => string>> = {
  'proxies-none': ({ header, headerValue }) =>
    headerValue === null
      ? 'That is the other end of the connection: no proxy is trusted.'
      : `That is the other end of the connection: no proxy is trusted, so what the header ${header} says is not looked at.`,
  'not-trusted': ({ hops, header }) =>
    hops.length === 1
      ? `That is the other end of the connection. It is no proxy that is trusted, so what the header ${header} says is not looked at.`
      : `A trusted proxy named it in the header ${header}. It is no trusted proxy itself, so what it may have named in turn is not believed.`,
  'header-ended': ({ header, hops }) =>
    hops.length === 1
      ? `The connection comes from a trusted proxy, which named nobody in the header ${header}.`
      : `The header ${header} ends there, and all on the way are trusted proxies.`,
  'entry-malformed': ({ header }) =>
    `What is named before it in the header ${header} is no address, so nothing further is believed.`,
  'hops-too-many': ({ header }) =>
    `The header ${header} names more than 32 trusted proxies in a row; the server reads no further.`,
  'connection-closed': () => 'The connection was closed already.',
};

const ADVICE: Readonly<Record<Reason, string>> = {
  'proxies-none': 'Is a proxy in front? Name it in POSTERN_TRUSTED_PROXIES.',
  'not-trusted': 'Is that address a proxy of yours? Add it to POSTERN_TRUSTED_PROXIES.',
  'header-ended':
    'Let the proxy send the header with the address of who connects to it, or name the header that it does send in POSTERN_CLIENT_IP_HEADER.',
  'entry-malformed': 'Look at what the proxy writes into the header.',
  'hops-too-many':
    'Look at what the proxy writes into the header, and name fewer networks in POSTERN_TRUSTED_PROXIES.',
  'connection-closed': 'Load the page again.',
};
