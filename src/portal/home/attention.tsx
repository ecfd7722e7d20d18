import type { Children } from '../../jsx/elements.ts';
import type { Attention } from '../../platform/overview/overview.ts';
import { Icon } from '../components/icon.tsx';
import { Moment, NameLink } from '../components/values.tsx';
import { rich, t } from '../i18n/t.tsx';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { KEYS_PATH, propertyPath, TASKS_PATH, TWO_FACTOR_PATH, withQuery } from '../kit/paths.ts';

/** API keys that the card names. */
const KEYS_SHOWN = 3;

type Props = {
  readonly visit: SignedInVisit;
  readonly deps: PortalDeps;
  readonly attention: Attention;
  /** Whether two-factor authentication is on, or the checklist recommends it. */
  readonly hasTwoFactor: boolean;
};

type Item = {
  readonly isUrgent: boolean;
  readonly text: string;
  /** An item about objects is shown if there are any. */
  readonly objects?: readonly Children[];
  /** Where to see all objects or to act. */
  readonly link?: readonly [path: string, text: string] | undefined;
};

/** What needs the user's attention, the most urgent first. */
export function AttentionCard(props: Props) {
  const items = itemsOf(props).filter(({ objects }) => objects?.length !== 0);
  if (items.length === 0)
    return props.visit.isInMaintenance ? (
      <></>
    ) : (
      <p class="calm">
        <Icon name="ok" /> {t('home.attention.none')}
      </p>
    );
  return (
    <section class="card attention">
      <h2>{t('home.attention.heading')}</h2>
      <ul>
        {items.map(({ isUrgent, text, objects, link }) => (
          <li class={isUrgent ? 'urgent' : undefined}>
            <Icon name={isUrgent ? 'alert' : 'info'} />
            <div>
              <p>{text}</p>
              {objects !== undefined && (
                <ul class="names">
                  {objects.map((object) => (
                    <li>{object}</li>
                  ))}
                </ul>
              )}
            </div>
            {link !== undefined && <a href={link[0]}>{link[1]}</a>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function itemsOf({ visit, deps, attention, hasTwoFactor }: Props): readonly Item[] {
  const { difficult, failedTasks } = attention;
  const keys = visit.keyWarnings;
  const linkTo = (property: Attention['spikes']['items'][number]) => (
    <NameLink path={propertyPath(deps, property)} name={property.name} />
  );
  const properties = (
    state: 'spike' | 'unverified' | 'disabled',
    { items, hasMore }: Attention['spikes'],
  ) => ({
    isUrgent: state === 'spike',
    text: t(`home.attention.${state}`, { count: items.length }),
    objects: items.map(linkTo),
    link: hasMore ? ([withQuery('/portal', { state }), t('home.attention.showAll')] as const) : undefined,
  });
  return [
    properties('spike', attention.spikes),
    {
      isUrgent: true,
      text: t('home.attention.difficulty', { count: difficult.length }),
      objects: difficult.map((property) =>
        rich('home.attention.difficultyOf', {
          property: linkTo(property),
          difficulty: property.difficulty,
          level: property.level,
        }),
      ),
    },
    {
      isUrgent: keys.some(({ daysLeft }) => daysLeft <= 1),
      text: t('home.attention.keys', { count: keys.length }),
      objects: keys.slice(0, KEYS_SHOWN).map(({ name, path, expiresAt }) => {
        const parts = { key: <NameLink path={path} name={name} />, time: <Moment instant={expiresAt} /> };
        return rich('home.attention.keyExpires', parts);
      }),
      link: [KEYS_PATH, t('home.attention.showKeys')],
    },
    {
      isUrgent: false,
      text: t('home.attention.tasks'),
      objects: failedTasks.items.map(({ id, finishedAt, createdAt }) => (
        <a href={`${TASKS_PATH}/${id}`}>
          <Moment instant={finishedAt ?? createdAt} />
        </a>
      )),
      link: [TASKS_PATH, t('home.attention.showTasks')],
    },
    ...(!hasTwoFactor && visit.signedIn.account.isAdmin ? [twoFactorItem()] : []),
    properties('unverified', attention.unverified),
    properties('disabled', attention.disabled),
  ];
}

function twoFactorItem(): Item {
  const link = [TWO_FACTOR_PATH, t('home.attention.setUpTwoFactor')] as const;
  return { isUrgent: false, text: t('home.attention.twoFactor'), link };
}
