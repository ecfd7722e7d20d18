import { hexOf } from '../lib/bytes.ts';
import { DAY, type Instant, instantOfIso, isoOf, later, systemClock } from '../lib/time.ts';
import { type ApiKey, type ApiKeyId, SCOPES } from '../model/apiKey.ts';
import type { Office } from '../office.ts';
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
import { accountFor, emailsOf, organizationIdFor, withOffice } from './withOffice.ts';

/** A century. */
const MAX_EXPIRY_DAYS = 36_500;

/** `postern keys create`. */
export const createKey: Command = {
  name: 'keys create',
  usage:
    '--user E --name N --scope portal|verify [--org ORG_ID] [--read-only] [--expires-days D | --expires-at ISO]',
  summary: 'Makes an API key, and shows it this once.',
  options: {
    user: { type: 'string' },
    name: { type: 'string' },
    scope: { type: 'string' },
    org: { type: 'string' },
    'read-only': { type: 'boolean' },
    'expires-days': { type: 'string' },
    'expires-at': { type: 'string' },
  },
  async run(context) {
    const user = requireOption(context, 'user');
    const name = requireOption(context, 'name');
    const scope = requireChoice(context, 'scope', SCOPES);
    const org = textOption(context, 'org');
    const isReadOnly = hasOption(context, 'read-only');
    const expiresAt = expiryOption(context);
    return withOffice(context, async (office) => {
      const account = await accountFor(office, user);
      const organizationId = org === undefined ? undefined : organizationIdFor(office, org);
      const draft = { account, name, scope, organizationId, isReadOnly, expiresAt };
      const { key, secret } = granted(await office.apiKeys.create(draft));
      showRow(context, rowOf(office, key, account.email, secret));
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
    return withOffice(context, async (office) => {
      const account = user === undefined ? undefined : await accountFor(office, user);
      const keys = await office.apiKeys.list(account);
      const emailOf = await emailsOf(office);
      const rows = keys.map((key) => rowOf(office, key, emailOf(key.accountId)));
      showRows(context, rows, ['id', 'user', 'name', 'scope', 'read_only', 'expires_at', 'revoked_at']);
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
    return withOffice(context, async (office) => {
      const key = granted(await office.apiKeys.revoke(keyIdFor(office, text)));
      const emailOf = await emailsOf(office);
      showRow(context, rowOf(office, key, emailOf(key.accountId)));
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
    return withOffice(context, async (office) => {
      const { key, secret } = granted(await office.apiKeys.rotate(keyIdFor(office, text)));
      const emailOf = await emailsOf(office);
      showRow(context, rowOf(office, key, emailOf(key.accountId), secret));
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
    return withOffice(context, async (office) => {
      const { fingerprint } = await office.signingKeys.rotate();
      showRow(context, { fingerprint: hexOf(fingerprint) });
    });
  },
};

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

function keyIdFor({ ids }: Office, text: string): ApiKeyId {
  return ids.open('api-key', text) ?? granted({ ok: false, problem: 'key-unknown' });
}

function rowOf({ ids }: Office, key: ApiKey, user: string, secret: string | null = null): Row {
  const { organizationId } = key;
  return {
    id: ids.seal('api-key', key.id),
    key: secret,
    name: key.name,
    scope: key.scope,
    org_id: organizationId === undefined ? null : ids.seal('organization', organizationId),
    read_only: key.isReadOnly,
    expires_at: momentOf(key.expiresAt),
    user,
    created_at: momentOf(key.createdAt),
    revoked_at: momentOf(key.revokedAt),
  };
}

function momentOf(instant: Instant | undefined): string | null {
  return instant === undefined ? null : isoOf(instant);
}
