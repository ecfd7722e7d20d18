import type { Property } from '../../../model/property.ts';
import { download } from '../kit/download.ts';
import type { OrganizationVisit, PortalDeps } from '../kit/handler.ts';
import { notFound } from '../kit/responses.tsx';
import { createFileWriter, type FileFormat } from './propertyFile.ts';

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
