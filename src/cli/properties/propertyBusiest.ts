import { COMMAND_LINE } from '../../model/actor.ts';
import type { Services } from '../../server/services.ts';
import type { Command } from '../command.ts';
import { wholeNumberOption } from '../options.ts';
import { printRows, type Row } from '../output.ts';
import { withServices } from '../withServices.ts';

/** The statistics keep hourly counts for 30 days. */
const HOURS = { min: 1, max: 720 } as const;
const DEFAULT_HOURS = 1;
const LIMIT = { min: 1, max: 1000 } as const;
const DEFAULT_LIMIT = 10;

/** `postern properties busiest`. */
export const propertyBusiest: Command = {
  name: 'properties busiest',
  usage: '[--hours N] [--limit N]',
  summary: 'Lists the properties with the most puzzles in recent hours.',
  options: { hours: { type: 'string' }, limit: { type: 'string' } },
  async run(context) {
    const hours = wholeNumberOption(context, 'hours', HOURS) ?? DEFAULT_HOURS;
    const limit = wholeNumberOption(context, 'limit', LIMIT) ?? DEFAULT_LIMIT;
    return withServices(context, async (services) => {
      const busiest = await services.busiest(COMMAND_LINE, hours, limit);
      const rows = busiest.map((one) => toRow(services, one));
      printRows(context, rows, ['org', 'name', 'domain', 'id', 'issued', 'verified', 'failed']);
    });
  },
};

type BusyProperty = Awaited<ReturnType<Services['busiest']>>[number];

function toRow({ ids }: Services, { property, organizationName, totals }: BusyProperty): Row {
  const { id, name, domain, sitekey, organizationId } = property;
  const { issued, verified, repeated, failed } = totals;
  return {
    id: ids.seal('property', id),
    name,
    domain,
    sitekey,
    org_id: ids.seal('organization', organizationId),
    org: organizationName,
    issued,
    verified,
    repeated,
    failed,
  };
}
