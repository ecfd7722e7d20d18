import type { Children } from '../../jsx/elements.ts';
import type { Outcome } from '../../lib/outcome.ts';
import type { StorageFacts, StorageRows, SystemFacts } from '../../model/system.ts';
import { Card, DescriptionList } from '../components/card.tsx';
import type { FieldErrors } from '../components/field.tsx';
import { ConfirmButton, Form } from '../components/form.tsx';
import { grouped } from '../components/numbers.ts';
import { Table } from '../components/table.tsx';
import { ExactMoment } from '../components/time.tsx';
import { perLanguage } from '../i18n/pageContext.ts';
import { rich } from '../i18n/rich.tsx';
import { t } from '../i18n/t.ts';
import { fieldOf } from '../kit/formData.ts';
import { systemPage } from '../kit/frames.tsx';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { errorOf } from '../kit/messages.ts';
import { SYSTEM_PATH } from '../kit/paths.ts';
import { redirectWithNotice } from '../kit/responses.tsx';
import { ClientAddress } from './clientAddress.tsx';

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
  const facts = await factsFor(visit, deps);
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
        <Card title={t('admin.maintenance.title')}>
          <MaintenanceSwitch visit={visit} isOn={facts.isInMaintenance} />
        </Card>
      </div>
      <Card title={t('admin.overview.storage')}>
        <StorageContents storage={facts.storage} />
      </Card>
      <Card title={t('admin.overview.address')}>
        <ClientAddress explanation={deps.explainAddress(visit.request)} />
      </Card>
    </>
  );
  return systemPage(visit, '', { title: t('admin.tabs.overview'), content, errors });
}

function MaintenanceSwitch({ visit, isOn }: { readonly visit: SignedInVisit; readonly isOn: boolean }) {
  const action = `${SYSTEM_PATH}/maintenance`;
  return (
    <>
      <p>
        {isOn ? (
          <span class="badge bad">{t('admin.maintenance.on')}</span>
        ) : (
          <span class="badge good">{t('admin.maintenance.off')}</span>
        )}{' '}
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
  const tags = {
    code: (text: Children) => <code>{text}</code>,
    strong: (text: Children) => <strong>{text}</strong>,
  };
  return (
    <>
      <p>{t('admin.maintenance.whileOn')}</p>
      <ul>
        <li>{rich('admin.maintenance.effects.codes', tags)}</li>
        <li>{rich('admin.maintenance.effects.backends', tags)}</li>
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

function StorageContents({ storage: { files, rows } }: { readonly storage: StorageFacts }) {
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

const sizeFormats = perLanguage((language) =>
  SIZE_UNITS.map(
    (unit) =>
      new Intl.NumberFormat(language, {
        style: 'unit',
        unit,
        unitDisplay: 'short',
        maximumFractionDigits: 1,
      }),
  ),
);

/** A size in the largest unit that fits, in the language of the page; 1 kB is 1000 bytes. */
function sizeOf(bytes: number): string {
  const exponent = bytes < 1000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), SIZE_UNITS.length - 1);
  return sizeFormats()[exponent]?.format(bytes / 1000 ** exponent) ?? '';
}

/** The effective settings. */
export async function showSettings(visit: SignedInVisit, deps: PortalDeps) {
  const { settings } = await factsFor(visit, deps);
  const content = (
    <Card title={t('admin.settings.title')}>
      <Table
        caption={t('admin.settings.caption')}
        head={[
          t('admin.settings.variable'),
          t('admin.settings.value'),
          t('admin.settings.source'),
          t('admin.settings.meaning'),
        ]}
        rows={settings.map(({ variable, value = '', source, meaning }) => [
          <code class="long">{variable}</code>,
          <code class="long">{value}</code>,
          t(`admin.settings.sources.${source}`),
          <span class="long" lang="en">
            {withCode(meaning)}
          </span>,
        ])}
        empty={t('admin.settings.none')}
      />
    </Card>
  );
  return systemPage(visit, '/settings', { title: t('admin.tabs.settings'), content });
}

/** Text in which backticks mark code. */
function withCode(text: string): readonly Children[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part));
}

/** The facts about the installation. @throws if the user is not an administrator, which the guard prevents */
async function factsFor(visit: SignedInVisit, { describeSystem }: PortalDeps): Promise<SystemFacts> {
  return granted(await describeSystem(visit.actor));
}

/** The value of an outcome that is never rejected for an administrator. @throws if it was rejected */
export function granted<T>(outcome: Outcome<T, 'admin-only'>): T {
  if (!outcome.ok) throw new Error('A user who is not an administrator opened a page for administrators.');
  return outcome.value;
}
