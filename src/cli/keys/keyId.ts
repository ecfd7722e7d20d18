import type { ApiKeyId } from '../../model/apiKey.ts';
import type { Services } from '../../server/services.ts';
import { unwrap } from '../options.ts';

/** @param text the id as commands print it @throws CommandError if it is not the id of an API key */
export function requireKeyId({ ids }: Services, text: string): ApiKeyId {
  return ids.open('api-key', text) ?? unwrap({ ok: false, problem: 'key-unknown' });
}
