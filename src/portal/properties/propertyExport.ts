import type { CsvCell } from '../../lib/csv.ts';
import type { Property } from '../../model/property.ts';
import { PROPERTY_FIELDS } from '../../model/propertyFields.ts';
import { createRecordWriter, download, type FileFormat } from '../kit/download.ts';
import type { OrganizationVisit, PortalDeps } from '../kit/handler.ts';
import { notFound } from '../kit/pages.tsx';

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

async function* textOf(format: FileFormat, batches: AsyncIterable<readonly Property[]>) {
  const writer = createFileWriter(format);
  yield writer.start;
  for await (const batch of batches) yield writer.batch(batch);
  yield writer.end;
}

const { name: _, domain: __, ...SETTINGS } = PROPERTY_FIELDS;

/** The names of the columns in the order of the files, which are those of the Platform API. */
export const COLUMNS: readonly string[] = [
  'name',
  'domain',
  'sitekey',
  ...Object.values(SETTINGS).map(({ name }) => name),
];

/** In the order of the columns. */
function valuesOf(property: Property): readonly CsvCell[] {
  const settings = Object.keys(SETTINGS) as readonly (keyof typeof SETTINGS)[];
  return [property.name, property.domain, property.sitekey, ...settings.map((key) => property[key])];
}

/** The character with which spreadsheet programs detect UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF';

/** Formats properties. An import of the file changes nothing. */
export function createFileWriter(format: FileFormat) {
  const { start, batch, end } = createRecordWriter(format, COLUMNS);
  return {
    start: format === 'csv' ? BYTE_ORDER_MARK + start : start,
    batch: (properties: readonly Property[]) => batch(properties.map(valuesOf)),
    end,
  };
}
