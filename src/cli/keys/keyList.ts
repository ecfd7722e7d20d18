import { COMMAND_LINE } from '../../model/actor.ts';
import type { ApiKey } from '../../model/apiKey.ts';
import type { Services } from '../../server/services.ts';
import { type Command, type Context, UsageError } from '../command.ts';
import { textOption, unwrap } from '../options.ts';
import { printRows } from '../output.ts';
import { requireOrganizationId, requireUser, withServices } from '../withServices.ts';
import { loadToKeyRow } from './keyRow.ts';

const COLUMNS = [
  'id',
  'owner',
  'name',
  'scope',
  'read_only',
  'secret',
  'last_used_at',
  'expires_at',
  'old_secret_until',
  'revoked_at',
];

/** `postern keys list`. */
export const keyList: Command = {
  name: 'keys list',
  usage: '[--user E | --org ORG_ID]',
  summary: 'Lists API keys, including revoked ones, without their secrets.',
  options: { user: { type: 'string' }, org: { type: 'string' } },
  async run(context) {
    return withServices(context, async (services) => {
      const keys = await findKeys(context, services);
      const toRow = await loadToKeyRow(services);
      const rows = keys.map((key) => toRow(key));
      printRows(context, rows, COLUMNS);
    });
  },
};

async function findKeys(context: Context, services: Services): Promise<readonly ApiKey[]> {
  const user = textOption(context, 'user');
  const org = textOption(context, 'org');
  if (user !== undefined && org !== undefined)
    throw new UsageError('--user and --org cannot be used together');
  if (org !== undefined) {
    return unwrap(await services.apiKeys.listOf(COMMAND_LINE, requireOrganizationId(services, org)));
  }
  const account = user === undefined ? undefined : await requireUser(services, user);
  return services.apiKeys.list(COMMAND_LINE, account);
}
