import { type Html, html } from '../../../lib/html.ts';
import type { StorageFacts, StorageRows, SystemFacts } from '../../../model/system.ts';
import { toHtml } from '../../jsx/bridge.tsx';
import { ClientAddress } from '../components/clientAddress.tsx';
import { grouped } from '../components/numbers.ts';
import { card, form, type Mistake, moment, submit, table } from '../components/parts.tsx';
import { fieldOf } from '../kit/formData.ts';
import { page } from '../kit/layout.tsx';
import { mistakeOf } from '../kit/messages.ts';
import { redirectSaying } from '../kit/responses.tsx';
import type { PortalDeps, SignedInVisit } from '../kit/route.ts';
import { factsFor, SYSTEM_PATH, systemTabs } from './systemTabs.tsx';

/** `GET /portal/system`: what the installation is and holds. */
export function showSystem(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  return systemPage(visit, deps);
}

/** `POST /portal/system/maintenance`: `state` is `on` or `off`. */
export async function switchMaintenance(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const state = fieldOf(visit.form, 'state');
  if (state !== 'on' && state !== 'off')
    return systemPage(visit, deps, [mistakeOf('maintenance-word', 'state')]);
  await deps.maintenance.set(state === 'on');
  const act = { action: 'maintenance-switched', organizationId: undefined, subject: state } as const;
  await deps.audit.recordAct(visit.actor, act);
  return redirectSaying(deps, SYSTEM_PATH, switchedNote(state, deps.maintenance.isOn()));
}

/** `GET /portal/system/settings`: all of them, as they stand. */
export async function showSettings(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const { settings } = await factsFor(visit, deps);
  const list = table({
    caption: 'Secrets are masked. A start of the server reads them anew.',
    head: ['Variable', 'Value', 'From', 'Meaning'],
    rows: settings.map(({ variable, value = '', source, meaning }) => [
      html`<code>${variable}</code>`,
      html`<code class="long">${value}</code>`,
      SOURCES[source],
      html`<span class="long">${withCode(meaning)}</span>`,
    ]),
    empty: 'This server was not told its settings.',
  });
  const content = html`${systemTabs('/settings')}${card('Effective settings', list)}`;
  return page(visit, { title: 'System', content });
}

const SOURCES = {
  flag: 'Command line',
  environment: 'Environment',
  file: 'File',
  default: 'Default',
} as const;

/** The table of settings marks code with backticks. */
function withCode(text: string): readonly Html[] {
  return text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}

function switchedNote(state: 'on' | 'off', isOn: boolean): string {
  if (state === 'on') return 'Maintenance is on.';
  return isOn
    ? 'Maintenance is switched off here, and goes on all the same: the configuration says so, or the database fails.'
    : 'Maintenance is off.';
}

async function systemPage(
  visit: SignedInVisit,
  deps: PortalDeps,
  mistakes: readonly Mistake[] = [],
): Promise<Response> {
  const facts = await factsFor(visit, deps);
  const content = html`${systemTabs('')}${card('Installation', installationPart(facts))}${card(
    'Maintenance',
    maintenancePart(visit, facts),
  )}${card('Your address', toHtml(<ClientAddress explanation={deps.explainAddress(visit.request)} />))}${card(
    'Storage',
    storagePart(facts.storage),
  )}`;
  return page(visit, { title: 'System', content, mistakes });
}

function installationPart({ version, at, storage }: SystemFacts): Html {
  return html`<dl>
<div><dt>Version</dt><dd>${version}</dd></div>
<div><dt>Database schema</dt><dd>${storage.schema}</dd></div>
<div><dt>Time of the server</dt><dd>${moment(at)}</dd></div>
</dl>`;
}

function maintenancePart(visit: SignedInVisit, { isInMaintenance }: SystemFacts): Html {
  const [badge, next, label] = isInMaintenance
    ? [html`<span class="badge bad">On</span>`, 'off', 'Switch maintenance off']
    : [html`<span class="badge good">Off</span>`, 'on', 'Switch maintenance on'];
  const content = html`<input type="hidden" name="state" value="${next}">
${submit(label, isInMaintenance ? 'main' : 'danger')}`;
  return html`<p>${badge}</p>
<p>${isInMaintenance ? 'While maintenance is on:' : 'When you turn maintenance on:'}</p>
<ul>
<li>Puzzles are issued and solutions verified as always. An accepted solution gets <code>success: true</code> with code 9
instead of 0.</li>
<li>Backends that decide by <code>success</code>, such as those with the snippets of this portal, continue to accept forms.
<strong>Backends that require code 0 reject every form</strong> until maintenance is off.</li>
<li>Changes in the portal and through the Platform API are rejected with status 503. Tasks wait.</li>
<li>Every page of the portal shows a banner.</li>
</ul>
${form({ visit, action: `${SYSTEM_PATH}/maintenance`, content })}`;
}

const ROWS: Readonly<Record<keyof StorageRows, string>> = {
  accounts: 'Users',
  organizations: 'Organizations',
  properties: 'Sites',
  apiKeys: 'API keys',
  invitations: 'Open invitations',
  unfinishedTasks: 'Tasks under way',
  finishedTasks: 'Finished tasks',
  auditEntries: 'Entries of the audit log',
};

function storagePart({ files, rows }: StorageFacts): Html {
  const counts = Object.entries(ROWS).map(
    ([name, label]) =>
      html`<div><dt>${label}</dt><dd>${wholeOf(rows[name as keyof StorageRows])}</dd></div>
`,
  );
  const sizes = table({
    caption: 'Files of the data folder',
    head: ['File', 'Size'],
    rows: files.map(({ name, sizeBytes }) => [html`<code>${name}</code>`, sizeOf(sizeBytes)]),
    empty: 'There are no files.',
  });
  return html`<dl>
${counts}</dl>
${sizes}`;
}

/** With a space at every thousand. */
function wholeOf(count: number): string {
  return grouped(count).replaceAll(',', ' ');
}

function sizeOf(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} kB`;
  return bytes < 1_000_000_000 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`;
}
