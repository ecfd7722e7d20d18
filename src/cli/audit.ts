import { isoOf } from '../lib/time.ts';
import type { KeptAuditEntry } from '../model/audit.ts';
import type { Services } from '../server/services.ts';
import { type Command, countOption } from './command.ts';
import { type Row, showRows } from './output.ts';
import { withServices } from './withServices.ts';

const LIMIT = { min: 1, max: 1000 } as const;
const USUAL_LIMIT = 50;

/** `postern audit list`. */
export const listAudit: Command = {
  name: 'audit list',
  usage: '[--limit N]',
  summary: 'Shows who did what, from where, newest first.',
  options: { limit: { type: 'string' } },
  async run(context) {
    const limit = countOption(context, 'limit', LIMIT) ?? USUAL_LIMIT;
    return withServices(context, async (services) => {
      const { entries } = await services.audit.list('command line', {}, { limit });
      const rows = entries.map((entry) => rowOf(services, entry));
      showRows(context, rows, ['at', 'actor', 'door', 'address', 'action', 'subject']);
    });
  },
};

function rowOf({ ids }: Services, entry: KeptAuditEntry): Row {
  const { id, at, actor, door, address, action, organizationId, subject } = entry;
  return {
    id: ids.seal('audit-entry', id),
    at: isoOf(at),
    actor,
    door,
    address: address ?? null,
    action,
    org_id: organizationId === undefined ? null : ids.seal('organization', organizationId),
    subject,
  };
}
