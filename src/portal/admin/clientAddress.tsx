import type { AddressExplanation } from '../../http/requestContext.ts';
import type { Element } from '../../jsx/elements.ts';
import { DescriptionList } from '../components/card.tsx';
import { Table } from '../components/table.tsx';
import { rich } from '../i18n/rich.tsx';
import { t } from '../i18n/t.ts';

/** The client address that the server determined for this request, and how. Helps administrators to configure a proxy. */
export function ClientAddress({ explanation }: { readonly explanation: AddressExplanation }): Element {
  const { address, countedAs, header, headerValue, hops, reason } = explanation;
  const unknown = t('components.clientAddress.unknown');
  return (
    <>
      <p>
        {rich('components.clientAddress.address', {
          code: () => <code>{address ?? unknown}</code>,
          reason: reasonFor(explanation),
        })}
      </p>
      <p>
        {t('components.clientAddress.shared', { advice: t(`components.clientAddress.advice.${reason}`) })}
      </p>
      <DescriptionList
        items={[
          [t('components.clientAddress.countedAs'), <code>{countedAs ?? unknown}</code>],
          [
            rich('components.clientAddress.header', { code: () => <code>{header}</code> }),
            headerValue === null ? t('components.clientAddress.notSent') : <code>{headerValue}</code>,
          ],
        ]}
      />
      <Table
        caption={t('components.clientAddress.caption')}
        head={[t('components.clientAddress.addressColumn'), t('components.clientAddress.trustedColumn')]}
        rows={hops.map((hop) => [
          <code class="long">{hop.address}</code>,
          t(hop.isTrusted ? 'components.clientAddress.yes' : 'components.clientAddress.no'),
        ])}
        empty={t('components.clientAddress.closed')}
      />
    </>
  );
}

function reasonFor(explanation: AddressExplanation): string {
  return t(`components.clientAddress.reasons.${reasonKey(explanation)}`, { header: explanation.header });
}

function reasonKey({ reason, headerValue, hops }: AddressExplanation) {
  switch (reason) {
    case 'proxies-none':
      return headerValue === null ? 'noProxies' : 'headerIgnored';
    case 'not-trusted':
      return hops.length === 1 ? 'connectionNotTrusted' : 'senderNotTrusted';
    case 'header-ended':
      return hops.length === 1 ? 'noHeader' : 'allTrusted';
    case 'entry-malformed':
      return 'entryMalformed';
    case 'hops-too-many':
      return 'tooManyHops';
    case 'connection-closed':
      return 'connectionClosed';
  }
}
