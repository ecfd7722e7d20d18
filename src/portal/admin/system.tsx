import type { AddressExplanation } from '../../http/requestContext.ts';
import type { StorageFacts, StorageRows } from '../../model/system.ts';
import type { FieldErrors } from '../components/field.tsx';
import { ConfirmButton, Form } from '../components/form.tsx';
import { Card, DescriptionList, Table } from '../components/sections.tsx';
import { ExactMoment, grouped, numberFormats } from '../components/values.tsx';
import { rich, t } from '../i18n/t.tsx';
import { errorOf, fieldOf } from '../kit/forms.ts';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { redirectWithNotice, systemPage } from '../kit/pages.tsx';
import { SYSTEM_PATH } from '../kit/paths.ts';
import { backgroundCard } from './background.tsx';
import { granted } from './granted.ts';

/** Turns maintenance on or off. The field `state` is `on` or `off`. */
export async function switchMaintenance(visit: SignedInVisit, deps: PortalDeps) {
  const state = fieldOf(visit.form, 'state');
  if (state !== 'on' && state !== 'off')
    return showSystem(visit, deps, [errorOf('maintenance-word', 'state')]);
  granted(await deps.maintenance.set(visit.actor, state === 'on'));
  return redirectWithNotice(deps, SYSTEM_PATH, switchedNote(state, deps.maintenance.isOn()));
}

function switchedNote(state: 'on' | 'off', isOn: boolean): string {
  if (state === 'on') return t('admin.maintenance.turnedOn');
  return t(isOn ? 'admin.maintenance.staysOn' : 'admin.maintenance.turnedOff');
}

/** An overview of the installation. */
export async function showSystem(visit: SignedInVisit, deps: PortalDeps, errors: FieldErrors = []) {
  const facts = granted(await deps.describeSystem(visit.actor));
  const content = (
    <>
      <div class="side-by-side">
        <Card title={t('admin.overview.installation')}>
          <DescriptionList
            items={[
              [t('admin.overview.version'), facts.version],
              [t('admin.overview.schema'), facts.storage.schema],
              [t('admin.overview.time'), <ExactMoment instant={facts.at} />],
            ]}
          />
        </Card>
        <Card title={t('admin.maintenance.title')}>{maintenanceSwitch(visit, facts.isInMaintenance)}</Card>
      </div>
      <Card title={t('admin.overview.storage')}>{storageContents(facts.storage)}</Card>
      {await backgroundCard(visit, deps)}
      <Card title={t('admin.overview.address')} id="address">
        <ClientAddress explanation={deps.explainAddress(visit.request)} />
      </Card>
    </>
  );
  return systemPage(visit, '', { content, errors });
}

function maintenanceSwitch(visit: SignedInVisit, isOn: boolean) {
  const action = `${SYSTEM_PATH}/maintenance`;
  return (
    <>
      <p>
        <span class={isOn ? 'badge bad' : 'badge good'}>
          {t(isOn ? 'admin.maintenance.on' : 'admin.maintenance.off')}
        </span>{' '}
        {t(isOn ? 'admin.maintenance.onText' : 'admin.maintenance.offText')}
      </p>
      {isOn ? (
        <>
          <MaintenanceEffects />
          <Form visit={visit} action={action} button={t('admin.maintenance.turnOff')}>
            <input type="hidden" name="state" value="off" />
          </Form>
        </>
      ) : (
        <ConfirmButton
          visit={visit}
          action={action}
          id="maintenance"
          button={t('admin.maintenance.turnOn')}
          title={t('admin.maintenance.turnOnTitle')}
          fields={<input type="hidden" name="state" value="on" />}
        >
          <MaintenanceEffects />
        </ConfirmButton>
      )}
    </>
  );
}

function MaintenanceEffects() {
  return (
    <>
      <p>{t('admin.maintenance.whileOn')}</p>
      <ul>
        <li>{rich('admin.maintenance.effects.codes')}</li>
        <li>{rich('admin.maintenance.effects.backends')}</li>
        <li>{t('admin.maintenance.effects.changes')}</li>
        <li>{t('admin.maintenance.effects.banner')}</li>
      </ul>
    </>
  );
}

const ROWS: readonly (keyof StorageRows)[] = [
  'accounts',
  'organizations',
  'properties',
  'apiKeys',
  'invitations',
  'unfinishedTasks',
  'finishedTasks',
  'auditEntries',
];

function storageContents({ files, rows }: StorageFacts) {
  return (
    <div class="side-by-side">
      <DescriptionList items={ROWS.map((name) => [t(`admin.overview.rows.${name}`), grouped(rows[name])])} />
      <Table
        caption={t('admin.overview.files.caption')}
        head={[t('admin.overview.files.file'), t('admin.overview.files.size')]}
        numeric={[1]}
        rows={files.map(({ name, sizeBytes }) => [<code class="long">{name}</code>, sizeOf(sizeBytes)])}
        empty={t('admin.overview.files.none')}
      />
    </div>
  );
}

const SIZE_UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

const sizeFormats = SIZE_UNITS.map((unit) =>
  numberFormats({ style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: 1 }),
);

/** A size in the largest unit that fits, in the language of the page; 1 kB is 1000 bytes. */
function sizeOf(bytes: number): string {
  const exponent = bytes < 1000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), SIZE_UNITS.length - 1);
  return sizeFormats[exponent]?.().format(bytes / 1000 ** exponent) ?? '';
}

/** The client address that the server determined for this request, and how. Helps administrators to configure a proxy. */
function ClientAddress({ explanation }: { readonly explanation: AddressExplanation }) {
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
