import type { ApiKey, ApiKeyId } from '../../model/apiKey.ts';
import type { AuditAction } from '../../model/audit.ts';
import type { Services } from '../../server/services.ts';
import { unwrap } from '../options.ts';
import { recordAudit } from '../withServices.ts';

/** @param text the id as commands print it @throws CommandError if it is not the id of an API key */
export function requireKeyId({ ids }: Services, text: string): ApiKeyId {
  return ids.open('api-key', text) ?? unwrap({ ok: false, problem: 'key-unknown' });
}

/** Adds an audit log entry about an API key. @param user the email address of the key's user */
export function recordKeyAudit(
  services: Services,
  action: AuditAction,
  key: ApiKey,
  user: string,
): Promise<void> {
  return recordAudit(services, action, `${key.name} of ${user}`, key.organizationId);
}
