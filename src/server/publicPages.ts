import type { PublicPages } from '../http/publicPage.tsx';
import type { AppContext } from './appContext.ts';

/** @returns which of the optional pages this server has */
export function publicPagesOf({ config, demo }: AppContext): PublicPages {
  return { hasDemo: demo !== undefined, hasSwagger: config.swagger !== 'off' };
}
