import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { IMPORT_MAX_ITEMS } from '../../model/task.ts';
import type { ImportChange, ImportPreview } from '../../platform/properties/propertyTransfer.ts';
import { Checkbox, type FieldErrors, FileField } from '../components/field.tsx';
import { ButtonLink, DownloadLink, Form } from '../components/form.tsx';
import { Card } from '../components/sections.tsx';
import { pageContext } from '../i18n/pageContext.ts';
import { t } from '../i18n/t.tsx';
import { Head } from '../kit/assets.tsx';
import { errorOf, fieldErrorOf, fieldOf } from '../kit/forms.ts';
import type { OrganizationVisit, PortalDeps } from '../kit/handler.ts';
import { accessLost, organizationPage, redirectWithNotice } from '../kit/pages.tsx';
import { FILE_MAX_BYTES, readPropertyFile } from './propertyFile.ts';
import { ImportSummary, type PreviewedRow } from './propertyImportPreview.tsx';
import { awaitTask } from './propertyTask.tsx';

/** `GET /portal/orgs/:org/import`: exports and the form for an import. */
export function showTransfer(visit: OrganizationVisit, _: PortalDeps, errors: FieldErrors = []) {
  const { organizationPath } = visit;
  const button = t('properties.transfer.preview');
  const content = (
    <>
      <Card title={t('properties.transfer.exportTitle')}>
        <p>{t('properties.transfer.exportText')}</p>
        <div class="buttons">
          <DownloadLink path={`${organizationPath}/export.csv`} text={t('properties.transfer.exportCsv')} />
          <DownloadLink path={`${organizationPath}/export.json`} text={t('properties.transfer.exportJson')} />
        </div>
      </Card>
      <Card title={t('properties.transfer.importTitle')}>
        <p>{t('properties.transfer.importText')}</p>
        <Form
          visit={visit}
          action={`${organizationPath}/import`}
          button={button}
          enctype="multipart/form-data"
        >
          <FileField
            name="file"
            label={t('properties.transfer.file')}
            help={t('properties.transfer.fileHelp', { count: IMPORT_MAX_ITEMS, size: FILE_SIZE })}
            accept=".csv,.json,text/csv,application/json"
            errors={errors}
          />
          <Checkbox
            name="create_unknown"
            label={t('properties.transfer.createsUnknown')}
            help={t('properties.transfer.createsUnknownHelp')}
            value={visit.form.has('create_unknown')}
          />
        </Form>
      </Card>
    </>
  );
  const title = t('properties.transfer.title');
  return organizationPage(visit, '', { title, content, head: <Head of="property" />, errors });
}

const FILE_SIZE = `${FILE_MAX_BYTES / 1024} KiB`;

/** `POST /portal/orgs/:org/import`: shows what an import would change. Changes nothing. */
export async function previewImport(visit: OrganizationVisit, deps: PortalDeps) {
  const bytes = visit.file ?? new Uint8Array();
  if (bytes.length === 0) return showTransfer(visit, deps, [fieldErrorOf('import-file-missing')]);
  const read = await readImport(visit, deps, bytes);
  return read instanceof Response ? read : previewPage(visit, { ...read, bytes });
}

/** `POST /portal/orgs/:org/import/apply`: applies all changes of the file that the preview contained, or none. */
export async function applyImport(visit: OrganizationVisit, deps: PortalDeps) {
  const bytes = await unpacked(fieldOf(visit.form, 'contents'));
  if (bytes === undefined) return showTransfer(visit, deps, [errorOf('import-file-missing')]);
  const read = await readImport(visit, deps, bytes);
  if (read instanceof Response) return read;
  const { rows } = read;
  const changes = changesIn(rows);
  if (rows.some(({ preview }) => preview.do === 'reject') || changes.length === 0)
    return previewPage(visit, { ...read, bytes });
  const { actor, organization } = visit;
  const options = optionsIn(visit);
  const started = await deps.propertyTransfer.start(actor, organization.id, changes, options);
  if (!started.ok) {
    return started.problem === 'task-queue-full'
      ? showTransfer(visit, deps, [errorOf(started.problem)])
      : accessLost(visit, started.problem);
  }
  const results = await awaitTask(deps, actor, started.value);
  if (results === undefined) return redirectWithNotice(deps, visit.organizationPath, t('properties.waiting'));
  const problems = results.map(({ problem }) => problem);
  if (problems.every((problem) => problem === undefined)) {
    const notice = t('properties.transfer.done', { count: changes.length });
    return redirectWithNotice(deps, visit.organizationPath, notice);
  }
  return previewPage(visit, { ...read, rows: withProblems(rows, problems), bytes, isRejected: true });
}

function changesIn(rows: readonly PreviewedRow[]): readonly ImportChange[] {
  return rows.flatMap(({ preview }) => (preview.do === 'create' || preview.do === 'update' ? [preview] : []));
}

/** Adds the problems of a task to the rows that it contained. */
function withProblems(
  rows: readonly PreviewedRow[],
  problems: readonly (Extract<ImportPreview, { do: 'reject' }>['problem'] | undefined)[],
): readonly PreviewedRow[] {
  const next = problems.values();
  return rows.map((row) => {
    if (row.preview.do !== 'create' && row.preview.do !== 'update') return row;
    const problem = next.next().value;
    if (problem === undefined || problem === 'import-not-applied') return row;
    return { ...row, preview: { do: 'reject', problem } };
  });
}

type ReadImport = { readonly format: 'csv' | 'json'; readonly rows: readonly PreviewedRow[] };

/** Reads a file, and compares its rows with the stored properties. @returns the page with the error if the file cannot be read */
async function readImport(visit: OrganizationVisit, deps: PortalDeps, bytes: Uint8Array) {
  const file = await readPropertyFile(bytes);
  if (!file.ok) {
    const error = fieldErrorOf(file.problem, { [file.problem]: 'file' });
    const text = file.detail === '' ? error.text : `${error.text} (${file.detail.slice(0, 200)})`;
    return showTransfer(visit, deps, [{ ...error, text }]);
  }
  const valid = file.rows.flatMap(({ parsed }) => (parsed.ok ? [parsed.value] : []));
  const { actor, organization } = visit;
  const found = await deps.propertyTransfer.preview(actor, organization.id, valid, optionsIn(visit));
  if (!found.ok) return accessLost(visit, found.problem);
  const previews = found.value.values();
  const rows = file.rows.map(({ number, name, parsed }): PreviewedRow => {
    if (!parsed.ok) {
      const { problem, column } = parsed;
      return { number, name, preview: { do: 'reject', problem }, column };
    }
    const preview = previews.next().value ?? { do: 'reject', problem: 'internal-error' };
    return { number, name, preview, column: undefined };
  });
  return { format: file.format, rows };
}

function optionsIn({ form }: OrganizationVisit) {
  return { createsUnknown: form.has('create_unknown'), skipsDnsCheck: form.has('skip_dns_check') };
}

type PreviewProps = ReadImport & {
  readonly bytes: Uint8Array;
  /** Whether the import was tried and rejected. */
  readonly isRejected?: boolean;
};

async function previewPage(visit: OrganizationVisit, props: PreviewProps): Promise<Response> {
  const { rows, format, isRejected = false } = props;
  const contents = (await promisify(gzip)(props.bytes)).toString('base64');
  const path = `${visit.organizationPath}/import`;
  const count = changesIn(rows).length;
  const hasProblems = rows.some(({ preview }) => preview.do === 'reject');
  const content = (
    <>
      <ImportSummary rows={rows} format={format} />
      <div class="import-actions">
        {count > 0 && (!hasProblems || isRejected) && applyForm(visit, contents, count)}
        <ButtonLink path={path} text={t('properties.transfer.another')} tone="quiet" />
      </div>
    </>
  );
  const title = t('properties.transfer.previewTitle');
  const errors = isRejected ? [{ text: t('properties.transfer.notApplied') }] : [];
  const status = hasProblems ? 422 : 200;
  return organizationPage(visit, '', { title, content, head: <Head of="property" />, errors, status });
}

/**
 * The button that applies the preview. The form contains the file, so the server stores nothing in the meantime.
 *
 * @param contents as `unpacked` reads it
 */
function applyForm(visit: OrganizationVisit, contents: string, count: number) {
  const { checksDns } = pageContext().facts;
  return (
    <Form
      visit={visit}
      action={`${visit.organizationPath}/import/apply`}
      button={t('properties.transfer.apply', { count })}
      enctype="multipart/form-data"
    >
      <input type="hidden" name="contents" value={contents} />
      {visit.form.has('create_unknown') && <input type="hidden" name="create_unknown" value="on" />}
      <p>
        {t('properties.transfer.all')} {checksDns && t('properties.transfer.checksDns')}
      </p>
      {checksDns && (
        <Checkbox
          name="skip_dns_check"
          label={t('properties.transfer.skipDns')}
          help={t('properties.transfer.skipDnsHelp')}
          value={visit.form.has('skip_dns_check')}
        />
      )}
    </Form>
  );
}

/** @returns undefined if the field does not contain a file of a valid size */
async function unpacked(contents: string): Promise<Uint8Array | undefined> {
  try {
    return await promisify(gunzip)(Buffer.from(contents, 'base64'), { maxOutputLength: FILE_MAX_BYTES });
  } catch {
    return undefined;
  }
}
