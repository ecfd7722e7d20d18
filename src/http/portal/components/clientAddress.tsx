import type { Element } from '../../jsx/elements.ts';
import type { AddressExplanation } from '../../requestContext.ts';
import { DescriptionList } from './descriptionList.tsx';
import { Table } from './table.tsx';

/** The client address that the server determined for this request, and how. Helps administrators to configure a proxy. */
export function ClientAddress({ explanation }: { readonly explanation: AddressExplanation }): Element {
  const { address, countedAs, header, headerValue, hops, reason } = explanation;
  return (
    <>
      <p>
        Your client address is <code>{address ?? 'unknown'}</code>. {REASONS[reason](explanation)}
      </p>
      <p>
        If your connection to the internet has a different address, the server may treat all visitors as one
        client, with a shared rate limit and difficulty. {ADVICE[reason]}
      </p>
      <DescriptionList
        items={[
          ['Counted as', <code>{countedAs ?? 'unknown'}</code>],
          [
            <>
              Header <code>{header}</code>
            </>,
            headerValue === null ? 'Not sent' : <code>{headerValue}</code>,
          ],
        ]}
      />
      <Table
        caption="Addresses of this request, starting with the connection"
        head={['Address', 'Trusted proxy']}
        rows={hops.map((hop) => [<code class="long">{hop.address}</code>, hop.isTrusted ? 'Yes' : 'No'])}
        empty="The connection was closed before the server could read its address."
      />
    </>
  );
}

type Reason = AddressExplanation['reason'];

const REASONS: Readonly<Record<Reason, (explanation: AddressExplanation) => string>> = {
  'proxies-none': ({ header, headerValue }) =>
    headerValue === null
      ? 'This is the address of the connection: no proxy is trusted.'
      : `This is the address of the connection: no proxy is trusted, so the server ignores the header ${header}.`,
  'not-trusted': ({ hops, header }) =>
    hops.length === 1
      ? `This is the address of the connection. It is not a trusted proxy, so the server ignores the header ${header}.`
      : `A trusted proxy sent it in the header ${header}. It is not a trusted proxy itself, so the server ignores the addresses before it.`,
  'header-ended': ({ header, hops }) =>
    hops.length === 1
      ? `The connection comes from a trusted proxy that sent no address in the header ${header}.`
      : `It is the first address in the header ${header}, and all addresses are trusted proxies.`,
  'entry-malformed': ({ header }) =>
    `The entry before it in the header ${header} is not a valid address, so the server ignores the rest.`,
  'hops-too-many': ({ header }) =>
    `The header ${header} contains more than 32 trusted proxies in a row; the server ignores the rest.`,
  'connection-closed': () => 'The connection was already closed.',
};

const ADVICE: Readonly<Record<Reason, string>> = {
  'proxies-none': 'If the server is behind a proxy, add the proxy to POSTERN_TRUSTED_PROXIES.',
  'not-trusted': 'If this is the address of your proxy, add it to POSTERN_TRUSTED_PROXIES.',
  'header-ended':
    'Configure the proxy to send the client address in this header, or set POSTERN_CLIENT_IP_HEADER to the header that it sends.',
  'entry-malformed': 'Check what your proxy writes to the header.',
  'hops-too-many':
    'Check what your proxy writes to the header, and list fewer networks in POSTERN_TRUSTED_PROXIES.',
  'connection-closed': 'Reload the page.',
};
