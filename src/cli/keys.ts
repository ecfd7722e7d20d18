import type { Outcome } from '../lib/outcome.ts';
import { DAY, type Instant, instantFromIso, later, systemClock } from '../lib/time.ts';
import { COMMAND_LINE } from '../model/actor.ts';
import {
  type ApiKey,
  type ApiKeyId,
  DEFAULT_KEEP_OLD,
  KEEP_OLD_SECONDS,
  type KeepOld,
  ownerOf,
  type SecretHint,
} from '../model/apiKey.ts';
import { API_KEY_FIELDS } from '../model/apiKeyFields.ts';
import type { Problem } from '../model/problems.ts';
import type { Services } from '../server/services.ts';
import { type Command, type Context, UsageError } from './command.ts';
import {
  choiceOption,
  hasOption,
  requireChoice,
  requireOperand,
  requireOption,
  textOption,
  unwrap,
  wholeNumberOption,
} from './options.ts';
import { printRow, printRows, type Row } from './output.ts';
import { isoOrNull, loadEmails, requireOrganizationId, requireUser, withServices } from './withServices.ts';

/** About 100 years. */
const MAX_EXPIRY_DAYS = 36_500;

const keyCreate: Command = {
  name: 'keys create',
  usage:
    '{--user E | --org-owned --org ORG_ID} --name N --scope portal|verify [--org ORG_ID] [--read-only] [--expires-days D | --expires-at ISO] [--rate R] [--burst B]',
  summary: 'Creates an API key of a user, or of an organization. The key is shown only once.',
  options: {
    user: 'Email address of the user to whom the key belongs.',
    'org-owned': 'The key belongs to the organization of --org instead of a user.',
    org: 'Id of an organization: the owner of the key with --org-owned, otherwise the only one for which it is valid. Default: all organizations of the user.',
    name: 'Name of the key.',
    scope: '`verify` for backends that verify solutions, or `portal` for the Platform API.',
    'read-only': 'The key cannot change anything. Only for the scope `portal`.',
    'expires-days': `Number of days until the key expires, 1 to ${MAX_EXPIRY_DAYS}. Default: the key does not expire.`,
    'expires-at': 'Date or time in ISO 8601 at which the key expires. Default: the key does not expire.',
    rate: "Requests per second. Default: the configured rate of the key's scope.",
    burst: "Requests that the key can send at once. Default: the configured burst of the key's scope.",
  },
  example: 'postern keys create --user ann@example.com --name Shop --scope verify --expires-days 365',
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
  if (!hasOption(context, 'org-owned'))
    return { kind: 'user', user: requireOption(context, 'user'), org: textOption(context, 'org') };
  if (textOption(context, 'user') !== undefined)
    throw new UsageError('--user and --org-owned cannot be used together');
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
  if (days !== undefined && text !== undefined)
    throw new UsageError('--expires-days and --expires-at cannot be used together');
  if (days !== undefined) return later(systemClock(), days * DAY);
  if (text === undefined) return undefined;
  const instant = instantFromIso(text);
  if (instant !== undefined) return instant;
  throw new UsageError(
    `--expires-at must be an ISO 8601 date or time, such as 2030-12-31 or 2030-12-31T12:00:00Z, not ${JSON.stringify(text)}`,
  );
}

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

const keyList: Command = {
  name: 'keys list',
  usage: '[--user E | --org ORG_ID]',
  summary: 'Lists API keys, including revoked ones, without their secrets.',
  options: {
    user: 'Lists the keys of this user. Default: all keys.',
    org: 'Lists the keys that belong to this organization. Default: all keys.',
  },
  example: 'postern keys list --user ann@example.com',
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
  if (org !== undefined)
    return unwrap(await services.apiKeys.listOf(COMMAND_LINE, requireOrganizationId(services, org)));
  const account = user === undefined ? undefined : await requireUser(services, user);
  return services.apiKeys.list(COMMAND_LINE, account);
}

const keyRevoke = createKeyCommand('revoke', {
  summary: 'Revokes an API key permanently. Its current and its old secret stop working immediately.',
  example: 'postern keys revoke uh9oHGplm-X-4BBsvXbX1g',
  change: ({ apiKeys }, id) => apiKeys.revoke(COMMAND_LINE, id),
});

const CHOICES = Object.keys(KEEP_OLD_SECONDS) as KeepOld[];

const keyRotate: Command = {
  name: 'keys rotate',
  usage: `KEY_ID [--keep-old ${CHOICES.join('|')}]`,
  summary: `Replaces the secret of an API key. The old secret keeps working for ${DEFAULT_KEEP_OLD}, or for the time of --keep-old; the new one is shown only once.`,
  options: { 'keep-old': `How long the old secret keeps working. Default: ${DEFAULT_KEEP_OLD}.` },
  example: 'postern keys rotate uh9oHGplm-X-4BBsvXbX1g --keep-old 7d',
  async run(context) {
    const id = requireOperand(context, 'KEY_ID');
    const keepOld = choiceOption(context, 'keep-old', CHOICES) ?? DEFAULT_KEEP_OLD;
    return withServices(context, async (services) => {
      const rotated = await services.apiKeys.rotate(COMMAND_LINE, requireKeyId(services, id), keepOld);
      const { key, secret } = unwrap(rotated);
      printRow(context, (await loadToKeyRow(services))(key, secret));
    });
  },
};

const keyEndOld = createKeyCommand('end-old', {
  summary: 'Stops the old secret of a rotated API key immediately. The current secret keeps working.',
  example: 'postern keys end-old uh9oHGplm-X-4BBsvXbX1g',
  change: ({ apiKeys }, id) => apiKeys.endOldSecret(COMMAND_LINE, id),
});

type KeyChange = Pick<Command, 'summary' | 'example'> & {
  readonly change: (services: Services, id: ApiKeyId) => Promise<Outcome<ApiKey, Problem>>;
};

/** A command that changes an API key and prints it. */
function createKeyCommand(verb: string, { change, ...texts }: KeyChange): Command {
  return {
    name: `keys ${verb}`,
    usage: 'KEY_ID',
    ...texts,
    async run(context) {
      const id = requireOperand(context, 'KEY_ID');
      return withServices(context, async (services) => {
        const key = unwrap(await change(services, requireKeyId(services, id)));
        printRow(context, (await loadToKeyRow(services))(key));
      });
    },
  };
}

const keyRotateSigning: Command = {
  name: 'keys rotate-signing',
  usage: '[--revoke-old]',
  summary:
    'Creates a new key for signing puzzles. Earlier puzzles stay valid until they expire, unless --revoke-old is used.',
  options: { 'revoke-old': 'Deletes all old keys, which invalidates all earlier puzzles.' },
  example: 'postern keys rotate-signing',
  async run(context) {
    return withServices(context, async (services) => {
      const { fingerprint } = await services.signingKeys.rotate(COMMAND_LINE, {
        revokesOld: hasOption(context, 'revoke-old'),
      });
      printRow(context, { fingerprint: fingerprint.toHex() });
    });
  },
};

/** @param text the id as commands print it @throws CommandError if it is not the id of an API key */
function requireKeyId({ ids }: Services, text: string): ApiKeyId {
  return ids.open('api-key', text) ?? unwrap({ ok: false, problem: 'key-unknown' });
}

/** Converts a key to the fields that commands print. @param secret null except directly after creation or rotation */
type ToKeyRow = (key: ApiKey, secret?: string | null) => Row;

/** Loads the names of users and organizations. */
async function loadToKeyRow(services: Services): Promise<ToKeyRow> {
  const { ids } = services;
  const emailOf = await loadEmails(services);
  const organizations = await services.organizations.list(COMMAND_LINE);
  const names = new Map(organizations.map(({ id, name }) => [id, name]));
  return (key, secret = null) => {
    const { organizationId, oldSecret } = key;
    const owner = ownerOf(key);
    const isUser = 'accountId' in owner;
    return {
      id: ids.seal('api-key', key.id),
      key: secret,
      name: key.name,
      scope: key.scope,
      org_id: organizationId === undefined ? null : ids.seal('organization', organizationId),
      read_only: key.isReadOnly,
      expires_at: isoOrNull(key.expiresAt),
      rate: key.rate ?? null,
      burst: key.burst ?? null,
      user: emailOf(key.accountId),
      owner_kind: isUser ? 'user' : 'organization',
      owner: isUser ? emailOf(owner.accountId) : (names.get(owner.organizationId) ?? ''),
      created_at: isoOrNull(key.createdAt),
      revoked_at: isoOrNull(key.revokedAt),
      last_used_at: isoOrNull(key.lastUsedAt),
      prefix: key.hint?.prefix ?? null,
      last_four: key.hint?.lastFour ?? null,
      secret: toText(key.hint),
      rotated_at: isoOrNull(key.rotatedAt),
      old_secret: toText(oldSecret?.hint),
      old_secret_until: isoOrNull(oldSecret?.worksUntil),
      old_secret_last_used_at: isoOrNull(oldSecret?.lastUsedAt),
    };
  };
}

function toText(hint: SecretHint | undefined): string | null {
  return hint === undefined ? null : `${hint.prefix}…${hint.lastFour}`;
}

/** The commands for API keys and signing keys, in the order of `postern help`. */
export const keyCommands: readonly Command[] = [
  keyCreate,
  keyList,
  keyRevoke,
  keyRotate,
  keyEndOld,
  keyRotateSigning,
];
