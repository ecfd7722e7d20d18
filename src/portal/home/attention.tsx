import type { Children, Element } from '../../jsx/elements.ts';
import type { Attention } from '../../platform/overview/overview.ts';
import { Icon } from '../components/icon.tsx';
import { NameLink } from '../components/names.tsx';
import { Moment } from '../components/time.tsx';
import { rich } from '../i18n/rich.tsx';
import { t } from '../i18n/t.ts';
import type { KeyWarning, PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { KEYS_PATH, propertyPath, TASKS_PATH, TWO_FACTOR_PATH, withQuery } from '../kit/paths.ts';

/** API keys that the card names. */
const KEYS_SHOWN = 3;

type Props = {
  readonly visit: SignedInVisit;
  readonly deps: PortalDeps;
  readonly attention: Attention;
  readonly hasTwoFactor: boolean;
};

type Item = {
  readonly isUrgent: boolean;
  readonly text: string;
  readonly objects: readonly Children[];
  /** Where to see all objects or to act. */
  readonly link: readonly [path: string, text: string] | undefined;
};

/** What needs the user's attention, the most urgent first. */
export function AttentionCard(props: Props): Element {
  const items = [
    ...trafficItems(props),
    ...keyItems(props.visit.keyWarnings),
    ...taskItems(props),
    ...securityItems(props),
    ...setupItems(props),
  ];
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
              {objects.length > 0 && (
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

function trafficItems({ deps, attention: { spikes, difficult } }: Props): readonly Item[] {
  return [
    ...(spikes.items.length === 0
      ? []
      : [
          {
            isUrgent: true,
            text: t('home.attention.spike', { count: spikes.items.length }),
            objects: spikes.items.map((property) => propertyLink(deps, property)),
            link: listLink('spike', spikes.hasMore),
          },
        ]),
    ...(difficult.length === 0
      ? []
      : [
          {
            isUrgent: true,
            text: t('home.attention.difficulty', { count: difficult.length }),
            objects: difficult.map((property) =>
              rich('home.attention.difficultyOf', {
                property: propertyLink(deps, property),
                difficulty: property.difficulty,
                level: property.level,
              }),
            ),
            link: undefined,
          },
        ]),
  ];
}

function keyItems(warnings: readonly KeyWarning[]): readonly Item[] {
  if (warnings.length === 0) return [];
  const objects = warnings.slice(0, KEYS_SHOWN).map(({ name, path, expiresAt }) =>
    rich('home.attention.keyExpires', {
      key: <NameLink path={path} name={name} />,
      time: <Moment instant={expiresAt} />,
    }),
  );
  const isUrgent = warnings.some(({ daysLeft }) => daysLeft <= 1);
  return [
    {
      isUrgent,
      text: t('home.attention.keys', { count: warnings.length }),
      objects,
      link: [KEYS_PATH, t('home.attention.showKeys')],
    },
  ];
}

function taskItems({ attention: { failedTasks } }: Props): readonly Item[] {
  if (failedTasks.items.length === 0) return [];
  const objects = failedTasks.items.map(({ id, finishedAt, createdAt }) => (
    <a href={`${TASKS_PATH}/${id}`}>
      <Moment instant={finishedAt ?? createdAt} />
    </a>
  ));
  return [
    {
      isUrgent: false,
      text: t('home.attention.tasks'),
      objects,
      link: [TASKS_PATH, t('home.attention.showTasks')],
    },
  ];
}

function securityItems({ visit, hasTwoFactor }: Props): readonly Item[] {
  if (hasTwoFactor || !visit.signedIn.account.isAdmin) return [];
  return [
    {
      isUrgent: false,
      text: t('home.attention.twoFactor'),
      objects: [],
      link: [TWO_FACTOR_PATH, t('home.attention.setUpTwoFactor')],
    },
  ];
}

function setupItems({ deps, attention: { unverified, disabled } }: Props): readonly Item[] {
  const groups = [
    ['unverified', unverified, t('home.attention.unverified', { count: unverified.items.length })],
    ['disabled', disabled, t('home.attention.disabled', { count: disabled.items.length })],
  ] as const;
  return groups
    .filter(([, { items }]) => items.length > 0)
    .map(([state, { items, hasMore }, text]) => ({
      isUrgent: false,
      text,
      objects: items.map((property) => propertyLink(deps, property)),
      link: listLink(state, hasMore),
    }));
}

type Listed = Attention['spikes']['items'][number];

function propertyLink(deps: PortalDeps, property: Listed): Element {
  return <NameLink path={propertyPath(deps, property)} name={property.name} />;
}

function listLink(state: string, hasMore: boolean): Item['link'] {
  return hasMore ? [withQuery('/portal', { state }), t('home.attention.showAll')] : undefined;
}
