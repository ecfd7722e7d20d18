import { DAY, type Instant, instantFromIso, later, systemClock } from '../../lib/time.ts';
import { COMMAND_LINE } from '../../model/actor.ts';
import { API_KEY_FIELDS } from '../../model/apiKeyFields.ts';
import type { Services } from '../../server/services.ts';
import { type Command, type Context, UsageError } from '../command.ts';
import {
  hasOption,
  requireChoice,
  requireOption,
  textOption,
  unwrap,
  wholeNumberOption,
} from '../options.ts';
import { printRow } from '../output.ts';
import { requireOrganizationId, requireUser, withServices } from '../withServices.ts';
import { loadToKeyRow } from './keyRow.ts';

/** About 100 years. */
const MAX_EXPIRY_DAYS = 36_500;

/** `postern keys create`. */
export const keyCreate: Command = {
  name: 'keys create',
  usage:
    '{--user E | --org-owned --org ORG_ID} --name N --scope portal|verify [--org ORG_ID] [--read-only] [--expires-days D | --expires-at ISO] [--rate R] [--burst B]',
  summary: 'Creates an API key of a user, or of an organization. The key is shown only once.',
  options: {
    user: { type: 'string' },
    name: { type: 'string' },
    scope: { type: 'string' },
    org: { type: 'string' },
    'org-owned': { type: 'boolean' },
    'read-only': { type: 'boolean' },
    'expires-days': { type: 'string' },
    'expires-at': { type: 'string' },
    rate: { type: 'string' },
    burst: { type: 'string' },
  },
  async run(context) {
    const owner = parseOwner(context);
    const name = requireOption(context, 'name');
    const scope = requireChoice(context, 'scope', API_KEY_FIELDS.scope.choices);
    const isReadOnly = hasOption(context, 'read-only');
    const expiresAt = parseExpiry(context);
    const rates = { rate: numberOption(context, 'rate'), burst: numberOption(context, 'burst') };
    return withServices(context, async (services) => {
      const draft = { ...(await findOwner(services, owner)), name, scope, isReadOnly, expiresAt, ...rates };
      const { key, secret } = unwrap(await services.apiKeys.create(COMMAND_LINE, draft));
      printRow(context, (await loadToKeyRow(services))(key, secret));
    });
  },
};

/** The options that name the owner of the key. */
type Owner =
  | { readonly kind: 'user'; readonly user: string; readonly org: string | undefined }
  | { readonly kind: 'organization'; readonly org: string };

/** @throws UsageError if the options do not name one owner */
function parseOwner(context: Context): Owner {
  if (!hasOption(context, 'org-owned')) {
    return { kind: 'user', user: requireOption(context, 'user'), org: textOption(context, 'org') };
  }
  if (textOption(context, 'user') !== undefined) {
    throw new UsageError('--user and --org-owned cannot be used together');
  }
  return { kind: 'organization', org: requireOption(context, 'org') };
}

async function findOwner(services: Services, owner: Owner) {
  if (owner.kind === 'organization') {
    const organizationId = requireOrganizationId(services, owner.org);
    return { isOrganizationOwned: true, organizationId } as const;
  }
  const account = await requireUser(services, owner.user);
  const organizationId = owner.org === undefined ? undefined : requireOrganizationId(services, owner.org);
  return { account, organizationId };
}

/** The use case checks the range. @throws UsageError if the text is not a decimal number */
function numberOption(context: Context, name: string): number | undefined {
  const text = textOption(context, name);
  if (text === undefined) return undefined;
  if (/^\d{1,10}(\.\d{1,6})?$/.test(text)) return Number(text);
  throw new UsageError(`--${name} must be a number, not ${JSON.stringify(text)}`);
}

function parseExpiry(context: Context): Instant | undefined {
  const days = wholeNumberOption(context, 'expires-days', { min: 1, max: MAX_EXPIRY_DAYS });
  const text = textOption(context, 'expires-at');
  if (days !== undefined && text !== undefined) {
    throw new UsageError('--expires-days and --expires-at cannot be used together');
  }
  if (days !== undefined) return later(systemClock(), days * DAY);
  if (text === undefined) return undefined;
  const instant = instantFromIso(text);
  if (instant !== undefined) return instant;
  throw new UsageError(
    `--expires-at must be an ISO 8601 date or time, such as 2030-12-31 or 2030-12-31T12:00:00Z, not ${JSON.stringify(text)}`,
  );
}
