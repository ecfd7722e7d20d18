import type { OrganizationVisit, PortalDeps } from '../kit/handler.ts';
import { notFound } from '../kit/responses.tsx';
import { createFileWriter, type FileFormat } from './propertyFile.ts';

const TYPES: Readonly<Record<FileFormat, string>> = {
  csv: 'text/csv; charset=utf-8; header=present',
  json: 'application/json; charset=utf-8',
};

/** Downloads all properties of an organization, in parts, so that a large organization does not need much memory. */
export function exportProperties(format: FileFormat) {
  return async (visit: OrganizationVisit, { propertyTransfer, clock }: PortalDeps): Promise<Response> => {
    const found = await propertyTransfer.export(visit.actor, visit.organization.id);
    if (!found.ok) return notFound(visit);
    const writer = createFileWriter(format);
    const batches = found.value[Symbol.asyncIterator]();
    const encoder = new TextEncoder();
    let start = writer.start();
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { value, done } = await batches.next();
        controller.enqueue(encoder.encode(start + (done === true ? writer.end() : writer.batch(value))));
        start = '';
        if (done === true) controller.close();
      },
      async cancel() {
        await batches.return?.();
      },
    });
    const day = new Date(clock()).toISOString().slice(0, 10);
    return new Response(body, {
      headers: {
        'Content-Type': TYPES[format],
        'Content-Disposition': `attachment; filename="postern-properties-${day}.${format}"`,
      },
    });
  };
}
