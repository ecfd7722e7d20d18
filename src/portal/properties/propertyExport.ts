import { csvLine } from '../../lib/csv.ts';
import type { Property } from '../../model/property.ts';
import { PROPERTY_FIELDS } from '../../model/propertyFields.ts';
import { download } from '../kit/download.ts';
import type { OrganizationVisit, PortalDeps } from '../kit/handler.ts';
import { notFound } from '../kit/responses.tsx';

const TYPES: Readonly<Record<FileFormat, string>> = {
  csv: 'text/csv; charset=utf-8; header=present',
  json: 'application/json; charset=utf-8',
};

/** Downloads all properties of an organization, in parts, so that a large organization does not need much memory. */
export function exportProperties(format: FileFormat) {
  return async (visit: OrganizationVisit, deps: PortalDeps): Promise<Response> => {
    const found = await deps.propertyTransfer.export(visit.actor, visit.organization.id);
    if (!found.ok) return notFound(visit);
    const day = new Date(deps.clock()).toISOString().slice(0, 10);
    const name = `postern-properties-${day}.${format}`;
    return download(visit, deps, { name, type: TYPES[format], parts: textOf(format, found.value) });
  };
}

async function* textOf(
  format: FileFormat,
  batches: AsyncIterable<readonly Property[]>,
): AsyncGenerator<string> {
  const writer = createFileWriter(format);
  yield writer.start();
  for await (const batch of batches) yield writer.batch(batch);
  yield writer.end();
}

/** Files with the properties of an organization: CSV (RFC 4180) or JSON, with the names of the Platform API. */
export const FILE_FORMATS = ['csv', 'json'] as const;

export type FileFormat = (typeof FILE_FORMATS)[number];

/** The names of the columns, in the order of the files. */
export const COLUMNS = ['name', 'domain', 'sitekey', ...settingNames()] as const;

function settingNames(): readonly string[] {
  const { name: _, domain: __, ...settings } = PROPERTY_FIELDS;
  return Object.values(settings).map(({ name }) => name);
}

export type FileValue = string | number | boolean;

/** @returns a property as a record with the names of the columns */
function toRecord(property: Property): Readonly<Record<string, FileValue>> {
  const { name, domain, sitekey } = property;
  const settings = Object.entries(PROPERTY_FIELDS).map(([key, field]) => [
    field.name,
    property[key as keyof typeof PROPERTY_FIELDS],
  ]);
  return { ...Object.fromEntries(settings), name, domain, sitekey };
}

/** The character with which spreadsheet programs detect UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF';

/** Formats properties. The texts of a start, all batches, and the end are a file. An import of the file changes nothing. */
type FileWriter = {
  readonly start: () => string;
  readonly batch: (properties: readonly Property[]) => string;
  readonly end: () => string;
};

/** @returns a writer for one file */
export function createFileWriter(format: FileFormat): FileWriter {
  return format === 'csv' ? CSV_WRITER : createJsonWriter();
}

const CSV_WRITER: FileWriter = {
  start: () => BYTE_ORDER_MARK + csvLine(COLUMNS),
  batch: (properties) =>
    properties
      .map(toRecord)
      .map((record) => csvLine(COLUMNS.map((name) => record[name] ?? '')))
      .join(''),
  end: () => '',
};

function createJsonWriter(): FileWriter {
  let separator = '';
  return {
    start: () => '[',
    batch: (properties) =>
      properties
        .map((property) => {
          const record = toRecord(property);
          const ordered = Object.fromEntries(COLUMNS.map((name) => [name, record[name]]));
          const text = `${separator}\n  ${JSON.stringify(ordered)}`;
          separator = ',';
          return text;
        })
        .join(''),
    end: () => '\n]\n',
  };
}
