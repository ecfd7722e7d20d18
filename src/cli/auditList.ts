import { toIso } from '../lib/time.ts';
import { COMMAND_LINE } from '../model/actor.ts';
import { SOURCE_NAMES, type StoredAuditEntry } from '../model/audit.ts';
import type { Services } from '../server/services.ts';
import type { Command } from './command.ts';
import { wholeNumberOption } from './options.ts';
import { printRows, type Row } from './output.ts';
import { withServices } from './withServices.ts';

const LIMIT = { min: 1, max: 1000 } as const;
const DEFAULT_LIMIT = 50;

/** `postern audit list`. */
export const auditList: Command = {
  name: 'audit list',
  usage: '[--limit N]',
  summary: 'Lists audit log entries, newest first.',
  options: { limit: { type: 'string' } },
  async run(context) {
    const limit = wholeNumberOption(context, 'limit', LIMIT) ?? DEFAULT_LIMIT;
    return withServices(context, async (services) => {
      const { entries } = await services.audit.list(COMMAND_LINE, {}, { limit });
      const rows = entries.map((entry) => toRow(services, entry));
      printRows(context, rows, ['at', 'actor', 'door', 'address', 'action', 'subject']);
    });
  },
};

function toRow({ ids }: Services, entry: StoredAuditEntry): Row {
  const { id, at, actor, source, address, action, organizationId, subject } = entry;
  return {
    id: ids.seal('audit-entry', id),
    at: toIso(at),
    actor,
    door: SOURCE_NAMES[source],
    address: address ?? null,
    action,
    org_id: organizationId === undefined ? null : ids.seal('organization', organizationId),
    subject,
  };
}
