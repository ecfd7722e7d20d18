import { linkTo } from '../http/portal/kit/linkUrl.ts';
import type { Services } from './services.ts';

/** @returns the link that creates the first account; undefined if an account exists already */
export async function createSetupLink(
  { authentication }: Services,
  baseUrl: string,
): Promise<string | undefined> {
  const token = await authentication.setup.createToken();
  return token === undefined ? undefined : linkTo(baseUrl, 'setup', token);
}
