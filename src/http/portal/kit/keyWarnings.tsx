import { DAY } from '../../../lib/time.ts';
import type { UserActor } from '../../../model/actor.ts';
import type { Element } from '../../jsx/elements.ts';
import { KEYS_PATH, keyPath } from '../apiKeys/keyPath.ts';
import { ExactMoment } from '../components/time.tsx';
import { rich } from '../i18n/rich.tsx';
import { t } from '../i18n/t.ts';
import type { KeyWarning, PortalDeps } from './handler.ts';

/** Keys that the banner names. */
const SHOWN = 3;

/** @returns the keys of a user that expire within two weeks, soonest first */
export async function keyWarningsOf(actor: UserActor, deps: PortalDeps): Promise<readonly KeyWarning[]> {
  const now = deps.clock();
  const expiring = await deps.apiKeys.expiring(actor);
  return expiring.flatMap((key) => {
    const { name, expiresAt } = key;
    if (expiresAt === undefined) return [];
    return [{ name, path: keyPath(deps, key), expiresAt, daysLeft: Math.ceil((expiresAt - now) / DAY) }];
  });
}

/** The banner on every page while API keys of the user are about to expire. */
export function KeyWarningBanner({ warnings }: { readonly warnings: readonly KeyWarning[] }): Element {
  const rest = warnings.length - SHOWN;
  return (
    <div class="warning" role="status">
      <ul>
        {warnings.slice(0, SHOWN).map(({ name, path, expiresAt, daysLeft }) => (
          <li>
            {rich(
              'kit.keyWarnings.expires',
              {
                key: (
                  <a href={path}>
                    <bdi>{name}</bdi>
                  </a>
                ),
                time: <ExactMoment instant={expiresAt} />,
              },
              daysLeft,
            )}
          </li>
        ))}
        {rest > 0 && (
          <li>
            <a href={KEYS_PATH}>{t('kit.keyWarnings.more', { count: rest })}</a>
          </li>
        )}
      </ul>
      <p>{t('kit.keyWarnings.advice')}</p>
    </div>
  );
}
