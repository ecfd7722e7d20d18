import { hexOf } from '../lib/bytes.ts';
import { DAY, type Instant, instantOfIso, isoOf, later, systemClock } from '../lib/time.ts';
import { type ApiKey, type ApiKeyId, SCOPES } from '../model/apiKey.ts';
import type { AuditAction } from '../model/audit.ts';
import type { Services } from '../server/services.ts';
import {
  type Command,
  type Context,
  countOption,
  granted,
  hasOption,
  requireChoice,
  requireOperand,
  requireOption,
  textOption,
  UsageError,
} from './command.ts';
import { type Row, showRow, showRows } from './output.ts';
import { accountFor, emailsOf, note, organizationIdFor, withServices } from './withServices.ts';

/** A century. */
const MAX_EXPIRY_DAYS = 36_500;

/** `postern keys create`. */
export const createKey: Command = {
  name: 'keys create',
  usage:
    '--user E --name N --scope portal|verify [--org ORG_ID] [--read-only] [--expires-days D | --expires-at ISO] [--rate R] [--burst B]',
  summary: 'Makes an API key, and shows it this once.',
  options: {
    user: { type: 'string' },
    name: { type: 'string' },
    scope: { type: 'string' },
    org: { type: 'string' },
    'read-only': { type: 'boolean' },
    'expires-days': { type: 'string' },
    'expires-at': { type: 'string' },
    rate: { type: 'string' },
    burst: { type: 'string' },
  },
  async run(context) {
    const user = requireOption(context, 'user');
    const name = requireOption(context, 'name');
    const scope = requireChoice(context, 'scope', SCOPES);
    const org = textOption(context, 'org');
    const isReadOnly = hasOption(context, 'read-only');
    const expiresAt = expiryOption(context);
    const rates = { rate: numberOption(context, 'rate'), burst: numberOption(context, 'burst') };
    return withServices(context, async (services) => {
      const account = await accountFor(services, user);
      const organizationId = org === undefined ? undefined : organizationIdFor(services, org);
      const draft = { account, name, scope, organizationId, isReadOnly, expiresAt, ...rates };
      const { key, secret } = granted(await services.apiKeys.create(draft));
      await noteKey(services, 'key-created', key, account.email);
      showRow(context, rowOf(services, key, account.email, secret));
    });
  },
};

/** `postern keys list`. */
export const listKeys: Command = {
  name: 'keys list',
  usage: '[--user E]',
  summary: 'Shows API keys, revoked ones too; never the key itself.',
  options: { user: { type: 'string' } },
  async run(context) {
    const user = textOption(context, 'user');
    return withServices(context, async (services) => {
      const account = user === undefined ? undefined : await accountFor(services, user);
      const keys = await services.apiKeys.list(account);
      const emailOf = await emailsOf(services);
      const rows = keys.map((key) => rowOf(services, key, emailOf(key.accountId)));
      const columns = [
        'id',
        'user',
        'name',
        'scope',
        'read_only',
        'last_used_at',
        'expires_at',
        'revoked_at',
      ];
      showRows(context, rows, columns);
    });
  },
};

/** `postern keys revoke`. */
export const revokeKey: Command = {
  name: 'keys revoke',
  usage: 'KEY_ID',
  summary: 'Ends an API key for good.',
  options: {},
  operands: 1,
  async run(context) {
    const text = requireOperand(context, 'KEY_ID');
    return withServices(context, async (services) => {
      const key = granted(await services.apiKeys.revoke(keyIdFor(services, text)));
      const email = (await emailsOf(services))(key.accountId);
      await noteKey(services, 'key-revoked', key, email);
      showRow(context, rowOf(services, key, email));
    });
  },
};

/** `postern keys rotate`. */
export const rotateKey: Command = {
  name: 'keys rotate',
  usage: 'KEY_ID',
  summary: 'Gives an API key another secret, and shows it this once; the old one stops.',
  options: {},
  operands: 1,
  async run(context) {
    const text = requireOperand(context, 'KEY_ID');
    return withServices(context, async (services) => {
      const { key, secret } = granted(await services.apiKeys.rotate(keyIdFor(services, text)));
      const email = (await emailsOf(services))(key.accountId);
      await noteKey(services, 'key-rotated', key, email);
      showRow(context, rowOf(services, key, email, secret));
    });
  },
};

/** `postern keys rotate-signing`. */
export const rotateSigningKey: Command = {
  name: 'keys rotate-signing',
  usage: '',
  summary: 'Makes a new key that signs puzzles; those issued before stay valid until they expire.',
  options: {},
  async run(context) {
    return withServices(context, async (services) => {
      const fingerprint = hexOf((await services.signingKeys.rotate()).fingerprint);
      await note(services, 'signing-key-rotated', fingerprint);
      showRow(context, { fingerprint });
    });
  },
};

/** Judged where keys are made: only what is no decimal number is a wrong usage. @throws UsageError */
function numberOption(context: Context, name: string): number | undefined {
  const text = textOption(context, name);
  if (text === undefined) return undefined;
  if (/^\d{1,10}(\.\d{1,6})?$/.test(text)) return Number(text);
  throw new UsageError(`--${name} must be a number, not ${JSON.stringify(text)}`);
}

function noteKey(services: Services, action: AuditAction, key: ApiKey, user: string): Promise<void> {
  return note(services, action, `${key.name} of ${user}`, key.organizationId);
}

function expiryOption(context: Context): Instant | undefined {
  const days = countOption(context, 'expires-days', { min: 1, max: MAX_EXPIRY_DAYS });
  const text = textOption(context, 'expires-at');
  if (days !== undefined && text !== undefined) {
    throw new UsageError('--expires-days and --expires-at exclude each other; give one of them');
  }
  if (days !== undefined) return later(systemClock(), days * DAY);
  if (text === undefined) return undefined;
  const instant = instantOfIso(text);
  if (instant !== undefined) return instant;
  throw new UsageError(
    `--expires-at must be a date in ISO 8601, such as 2030-12-31 or 2030-12-31T12:00:00Z, not ${JSON.stringify(text)}`,
  );
}

function keyIdFor({ ids }: Services, text: string): ApiKeyId {
  return ids.open('api-key', text) ?? granted({ ok: false, problem: 'key-unknown' });
}

function rowOf({ ids }: Services, key: ApiKey, user: string, secret: string | null = null): Row {
  const { organizationId } = key;
  return {
    id: ids.seal('api-key', key.id),
    key: secret,
    name: key.name,
    scope: key.scope,
    org_id: organizationId === undefined ? null : ids.seal('organization', organizationId),
    read_only: key.isReadOnly,
    expires_at: momentOf(key.expiresAt),
    rate: key.rate ?? null,
    burst: key.burst ?? null,
    user,
    created_at: momentOf(key.createdAt),
    revoked_at: momentOf(key.revokedAt),
    last_used_at: momentOf(key.lastUsedAt),
  };
}

function momentOf(instant: Instant | undefined): string | null {
  return instant === undefined ? null : isoOf(instant);
}
