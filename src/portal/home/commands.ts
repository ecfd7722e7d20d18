import type { Account } from '../../model/account.ts';
import { foldName } from '../../model/name.ts';
import type { SearchResults } from '../../platform/overview/overview.ts';
import { TEXT_MAX_LENGTH } from '../components/form.tsx';
import { t } from '../i18n/t.tsx';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { navigationLinks } from '../kit/header.tsx';
import { systemTabs } from '../kit/pages.tsx';
import {
  KEYS_PATH,
  NEW_PROPERTY_PATH,
  ORGANIZATIONS_PATH,
  organizationPath,
  propertyPath,
  SECURITY_PATH,
  TASKS_PATH,
  TWO_FACTOR_PATH,
  USERS_PATH,
  userPath,
} from '../kit/paths.ts';

/** Maximum number of objects of each kind, and of sections of the documentation. */
const LIMIT = 5;

/** A page, or a form of the navigation, that the command palette offers. */
type Command = {
  readonly text: string;
  /** Distinguishes it from others with the same text. */
  readonly detail?: string;
  readonly path: string;
  /** Whether the path is the action of a form, which the script sends. */
  readonly isForm?: boolean;
};

type Group = { readonly title: string; readonly items: readonly Command[] };

/** `GET /portal/palette?q=`: what the command palette offers for a text, as JSON. Without a text, all actions and pages. */
export async function findCommands(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const text = (visit.query.get('q') ?? '').trim().slice(0, TEXT_MAX_LENGTH + 1);
  const { account } = visit.signedIn;
  const words = foldName(text).split(/\s+/);
  const matching = (commands: readonly Command[]) =>
    commands.filter((one) => words.every((word) => foldName(one.text).includes(word)));
  const all: readonly Group[] = [
    ...objectsIn(await deps.overview.search(visit.actor, text, LIMIT), deps),
    { title: t('kit.palette.actions'), items: matching(actionsFor(account)) },
    { title: t('kit.palette.pages'), items: matching(pagesFor(account)) },
    { title: t('kit.navigation.docs'), items: text === '' ? [] : await deps.findInDocs(text, LIMIT) },
  ];
  const groups = all.filter(({ items }) => items.length > 0);
  const count = groups.reduce((sum, { items }) => sum + items.length, 0);
  return Response.json({ status: t('kit.palette.results', { count }), groups });
}

function objectsIn({ properties, organizations, users }: SearchResults, deps: PortalDeps): readonly Group[] {
  return [
    {
      title: t('home.search.properties'),
      items: properties.items.map((property) => ({
        text: property.name,
        detail: `${property.domain} · ${property.organizationName}`,
        path: propertyPath(deps, property),
      })),
    },
    {
      title: t('home.search.organizations'),
      items: organizations.items.map(({ id, name, ownerEmail }) => ({
        text: name,
        detail: ownerEmail,
        path: organizationPath(deps, id),
      })),
    },
    {
      title: t('home.search.users'),
      items: (users?.items ?? []).map(({ id, name, email }) => ({
        text: name,
        detail: email,
        path: userPath(deps, id),
      })),
    },
  ];
}

function actionsFor({ isAdmin }: Account): readonly Command[] {
  return [
    { text: t('home.createProperty'), path: NEW_PROPERTY_PATH },
    { text: t('organizations.create.button'), path: `${ORGANIZATIONS_PATH}/new` },
    { text: t('apiKeys.create'), path: `${KEYS_PATH}/new` },
    ...(isAdmin ? [{ text: t('admin.newUser.title'), path: `${USERS_PATH}/new` }] : []),
    { text: t('account.passwordChange.title'), path: `${SECURITY_PATH}/password` },
    { text: t('home.attention.setUpTwoFactor'), path: TWO_FACTOR_PATH },
    { text: t('kit.navigation.signOut'), path: '/portal/logout', isForm: true },
  ];
}

function pagesFor(account: Account): readonly Command[] {
  const system = t('admin.system');
  return [
    ...navigationLinks(account).map(({ path, label }) => ({ path, text: label })),
    { text: t('activity.tasks.title'), path: TASKS_PATH },
    { text: t('kit.preferences.title'), path: '/portal/preferences' },
    ...(account.isAdmin ? systemTabs() : []).map(([path, label]) => ({
      path,
      text: `${system}: ${label}`,
    })),
  ];
}
