import { closeAfter } from '../../lib/closing.ts';
import type { Clock } from '../../lib/time.ts';
import type { SystemActor } from '../../model/actor.ts';
import type { ExportCounts, ImportResult } from '../../model/exportDocument.ts';
import type { ExportStore } from '../../model/ports/installation.ts';
import type { Audit } from '../audit.ts';
import type { ReadDocument } from './documentItems.ts';
import { createDocumentWriter, type WriteText } from './documentText.ts';
import { parseDocument } from './parseDocument.ts';

/** Use cases that move organizations, properties, and plans between installations. */
export function createExports(deps: {
  readonly store: ExportStore;
  readonly audit: Pick<Audit, 'entryFor' | 'recordAction'>;
  readonly clock: Clock;
}) {
  const { store, audit, clock } = deps;
  return {
    /**
     * Writes all organizations with their owners, members, and properties, and the plans that were set. Deleted objects, secrets,
     * passwords, API keys, and statistics are not included.
     *
     * @param write receives the JSON document in parts
     * @returns the numbers of objects, and the size of the document in bytes
     * @throws ExportTooLargeError if an import would not accept the document; KeptSpellingError if it would mistake a user for another
     */
    async write(actor: SystemActor, write: WriteText): Promise<ExportCounts & { readonly bytes: number }> {
      const writer = createDocumentWriter(write);
      await store.read(writer);
      const counts = writer.end();
      const { organizations, properties, plans } = counts;
      const object = `${organizations} organizations, ${properties} properties, ${plans} plans`;
      await audit.recordAction(actor, { action: 'data-exported', object });
      return counts;
    },
    /**
     * Creates the objects of a document that do not exist yet, or changes nothing if there are errors. Safe to repeat. Does not look
     * up domains.
     *
     * @param read reads an export document in UTF-8; called three times
     */
    async import(
      actor: SystemActor,
      read: ReadDocument,
      options: { readonly createsUsers: boolean; readonly isDryRun: boolean },
    ): Promise<ImportResult> {
      const parsed = parseDocument(read);
      if (!parsed.ok) return parsed;
      const { document, bytes, close } = parsed.value;
      const entry = await audit.entryFor(actor, { action: 'data-imported', object: `${bytes} bytes` });
      return closeAfter(
        async () => close(),
        () => store.import(document, { ...options, now: clock(), entry }),
      );
    },
  };
}
