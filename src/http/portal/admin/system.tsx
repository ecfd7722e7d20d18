import type { StorageFacts, StorageRows } from '../../../model/system.ts';
import type { Children } from '../../jsx/elements.ts';
import { Card } from '../components/card.tsx';
import { ClientAddress } from '../components/clientAddress.tsx';
import { DescriptionList } from '../components/descriptionList.tsx';
import type { FieldErrors } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { grouped } from '../components/numbers.ts';
import { Table } from '../components/table.tsx';
import { Moment } from '../components/time.tsx';
import { fieldOf } from '../kit/formData.ts';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { errorOf } from '../kit/messages.ts';
import { page, redirectWithNotice } from '../kit/responses.tsx';
import { factsFor, granted, SYSTEM_PATH, SystemTabs } from './systemTabs.tsx';

/** Turns maintenance on or off. The field `state` is `on` or `off`. */
export async function switchMaintenance(visit: SignedInVisit, deps: PortalDeps) {
  const state = fieldOf(visit.form, 'state');
  if (state !== 'on' && state !== 'off')
    return showSystem(visit, deps, [errorOf('maintenance-word', 'state')]);
  granted(await deps.maintenance.set(visit.actor, state === 'on'));
  return redirectWithNotice(deps, SYSTEM_PATH, switchedNote(state, deps.maintenance.isOn()));
}

/** The effective settings. */
export async function showSettings(visit: SignedInVisit, deps: PortalDeps) {
  const { settings } = await factsFor(visit, deps);
  const content = (
    <>
      <SystemTabs current="/settings" />
      <Card title="Effective settings">
        <Table
          caption="Secrets are masked. The server reads its settings when it starts."
          head={['Variable', 'Value', 'Source', 'Meaning']}
          rows={settings.map(({ variable, value = '', source, meaning }) => [
            <code>{variable}</code>,
            <code class="long">{value}</code>,
            SOURCES[source],
            <span class="long">{withCode(meaning)}</span>,
          ])}
          empty="The settings of this server are unknown."
        />
      </Card>
    </>
  );
  return page(visit, { title: 'System', content });
}

const SOURCES = {
  flag: 'Command line',
  environment: 'Environment',
  file: 'File',
  default: 'Default',
} as const;

/** Text in which backticks mark code. */
function withCode(text: string): readonly Children[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part));
}

function switchedNote(state: 'on' | 'off', isOn: boolean): string {
  if (state === 'on') return 'Maintenance was turned on.';
  return isOn
    ? 'Maintenance was turned off here, but stays on: the configuration turns it on, or the server cannot write to the database.'
    : 'Maintenance was turned off.';
}

/** An overview of the installation. */
export async function showSystem(visit: SignedInVisit, deps: PortalDeps, errors: FieldErrors = []) {
  const facts = await factsFor(visit, deps);
  const content = (
    <>
      <SystemTabs current="" />
      <Card title="Installation">
        <DescriptionList
          items={[
            ['Version', facts.version],
            ['Database schema', facts.storage.schema],
            ['Server time', <Moment instant={facts.at} />],
          ]}
        />
      </Card>
      <Card title="Maintenance">
        <MaintenanceSwitch visit={visit} isOn={facts.isInMaintenance} />
      </Card>
      <Card title="Your address">
        <ClientAddress explanation={deps.explainAddress(visit.request)} />
      </Card>
      <Card title="Storage">
        <StorageContents storage={facts.storage} />
      </Card>
    </>
  );
  return page(visit, { title: 'System', content, errors });
}

function MaintenanceSwitch({ visit, isOn }: { readonly visit: SignedInVisit; readonly isOn: boolean }) {
  return (
    <>
      <p>{isOn ? <span class="badge bad">On</span> : <span class="badge good">Off</span>}</p>
      <p>{isOn ? 'While maintenance is on:' : 'When you turn maintenance on:'}</p>
      <ul>
        <li>
          Puzzles are issued and solutions are verified as usual. An accepted solution gets{' '}
          <code>success: true</code> with code 9 instead of 0.
        </li>
        <li>
          Backends that check <code>success</code>, such as those that use the code from this portal, continue
          to accept forms. <strong>Backends that require code 0 reject every form</strong> until maintenance
          is off.
        </li>
        <li>Changes in the portal and through the Platform API are rejected with status 503. Tasks wait.</li>
        <li>Every page of the portal shows a banner.</li>
      </ul>
      <Form
        visit={visit}
        action={`${SYSTEM_PATH}/maintenance`}
        button={isOn ? 'Turn maintenance off' : 'Turn maintenance on'}
        tone={isOn ? 'main' : 'danger'}
      >
        <input type="hidden" name="state" value={isOn ? 'off' : 'on'} />
      </Form>
    </>
  );
}

const ROW_LABELS: Readonly<Record<keyof StorageRows, string>> = {
  accounts: 'Users',
  organizations: 'Organizations',
  properties: 'Properties',
  apiKeys: 'API keys',
  invitations: 'Open invitations',
  unfinishedTasks: 'Unfinished tasks',
  finishedTasks: 'Finished tasks',
  auditEntries: 'Audit log entries',
};

function StorageContents({ storage: { files, rows } }: { readonly storage: StorageFacts }) {
  return (
    <>
      <DescriptionList
        items={Object.entries(ROW_LABELS).map(([name, label]) => [
          label,
          withSpaces(rows[name as keyof StorageRows]),
        ])}
      />
      <Table
        caption="Files in the data folder"
        head={['File', 'Size']}
        rows={files.map(({ name, sizeBytes }) => [<code>{name}</code>, sizeOf(sizeBytes)])}
        empty="There are no files."
      />
    </>
  );
}

/** A number with a space between groups of three digits. */
function withSpaces(count: number): string {
  return grouped(count).replaceAll(',', ' ');
}

/** A size in the largest unit that fits; 1 kB is 1000 bytes. */
function sizeOf(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} kB`;
  return bytes < 1_000_000_000 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`;
}
