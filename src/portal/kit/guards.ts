import type { RuleScope } from '../../model/rules/rule.ts';
import { t } from '../i18n/t.tsx';
import { sentenceFor } from './forms.ts';
import type {
  InvitationVisit,
  KeyVisit,
  MemberVisit,
  NamedRule,
  OrganizationKeyVisit,
  OrganizationTaskVisit,
  OrganizationVisit,
  PortalDeps,
  PropertyVisit,
  RuleVisit,
  SessionVisit,
  SharedVisit,
  ShareLinkVisit,
  SignedInVisit,
  SystemRuleVisit,
  TaskVisit,
  UserVisit,
  Visit,
} from './handler.ts';
import { errorPage, notFound } from './pages.tsx';
import { keyPath, sharedPath } from './paths.ts';

/** For each guard, the type of visit that its pages receive, and the names in their paths. */
type Guards = {
  /** Everyone. */
  readonly public: { readonly visit: Visit; readonly names: never };
  /** Users who are signed in. */
  readonly session: { readonly visit: SignedInVisit; readonly names: never };
  readonly ownSession: { readonly visit: SessionVisit; readonly names: 'session' };
  /** The user who owns the key. */
  readonly key: { readonly visit: KeyVisit; readonly names: 'key' };
  /** The owner and the members of the organization that owns the key. */
  readonly organizationKey: { readonly visit: OrganizationKeyVisit; readonly names: 'org' | 'orgKey' };
  /** The owner of the organization that owns the key. */
  readonly ownedKey: { readonly visit: OrganizationKeyVisit; readonly names: 'org' | 'orgKey' };
  readonly task: { readonly visit: TaskVisit; readonly names: 'task' };
  /** The owner and the members of an organization; the path names a task of any of them. */
  readonly organizationTask: { readonly visit: OrganizationTaskVisit; readonly names: 'org' | 'task' };
  /** The owner and the members of an organization. */
  readonly organization: { readonly visit: OrganizationVisit; readonly names: 'org' };
  readonly property: { readonly visit: PropertyVisit; readonly names: 'org' | 'property' };
  readonly shareLink: { readonly visit: ShareLinkVisit; readonly names: 'org' | 'property' | 'link' };
  readonly rule: { readonly visit: RuleVisit; readonly names: 'org' | 'property' | 'rule' };
  /** The owner of an organization. */
  readonly owner: { readonly visit: OrganizationVisit; readonly names: 'org' };
  /** The owner of an organization; the path names another member. */
  readonly member: { readonly visit: MemberVisit; readonly names: 'org' | 'member' };
  readonly invitation: { readonly visit: InvitationVisit; readonly names: 'org' | 'invitation' };
  /** Administrators. */
  readonly admin: { readonly visit: SignedInVisit; readonly names: never };
  readonly user: { readonly visit: UserVisit; readonly names: 'user' };
  /** Administrators; the path names a rule of the installation. */
  readonly systemRule: { readonly visit: SystemRuleVisit; readonly names: 'systemRule' };
};

export type Guard = keyof Guards;

/** The type of visit that a page behind a guard receives. */
export type VisitOf<Name extends Guard> = Guards[Name]['visit'];

/** The names in a path: `'org' | 'key'` for `/a/:org/b/:key`. */
type NamesIn<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? Name | NamesIn<More>
    : Rest
  : never;

/** The guards that load exactly the objects that a path names, so that a page cannot skip a check. */
export type GuardFor<Path extends string> = {
  [Name in Guard]: [NamesIn<Path>, Guards[Name]['names']] extends [Guards[Name]['names'], NamesIn<Path>]
    ? Name
    : never;
}[Guard];

type Load<V extends Visit> = (visit: SignedInVisit, deps: PortalDeps) => Promise<V | Response> | V | Response;

/**
 * A guard for an object below others, such as a property of an organization: adds the object to the visit.
 *
 * @param load the guard for what the path names before the object. If it rejects the request, the object is not looked up
 * @param find returns what is added; undefined for an object that does not exist or that the user may not see (404)
 */
function below<V extends SignedInVisit, Found extends object>(
  load: Load<V>,
  find: (visit: V, deps: PortalDeps) => Promise<Found | undefined> | Found | undefined,
): Load<V & Found> {
  return async (visit, deps) => {
    const loaded = await load(visit, deps);
    if (loaded instanceof Response) return loaded;
    const found = await find(loaded, deps);
    return found === undefined ? notFound(visit) : { ...loaded, ...found };
  };
}

const loadSession: Load<SignedInVisit> = (visit) => visit;

const loadOrganization = below(loadSession, async (visit, { ids, access }) => {
  const name = nameIn(visit, 'org');
  const id = ids.open('organization', name);
  const found = id === undefined ? undefined : await access.requireMember(visit.actor, id);
  if (!found?.ok) return undefined;
  const organization = found.value;
  const isOwner = organization.ownerId === visit.signedIn.account.id;
  return { organization, organizationPath: `/portal/orgs/${name}`, isOwner };
});

const loadOwned: Load<OrganizationVisit> = async (visit, deps) => {
  const loaded = await loadOrganization(visit, deps);
  if (loaded instanceof Response || loaded.isOwner) return loaded;
  return errorPage(visit, 403, t('kit.notAllowed.title'), sentenceFor('organization-not-owned'));
};

const loadProperty = below(loadOrganization, async (visit, deps) => {
  const name = nameIn(visit, 'property');
  const id = deps.ids.open('property', name);
  if (id === undefined) return undefined;
  const property = await deps.properties.byId(visit.actor, visit.organization.id, id);
  const propertyPath = `${visit.organizationPath}/properties/${name}`;
  return property.ok ? { property: property.value, propertyPath } : undefined;
});

/**
 * Loads the objects that a path names and checks that the user may use them.
 *
 * @returns a page instead: 404 for objects that do not exist or that the user may not see, 403 for members who are not the owner
 */
export const LOADERS: { readonly [Name in Exclude<Guard, 'public'>]: Load<VisitOf<Name>> } = {
  session: loadSession,
  ownSession: below(loadSession, (visit, { ids }) => {
    const sessionId = ids.open('session', nameIn(visit, 'session'));
    return sessionId === undefined ? undefined : { sessionId };
  }),
  key: below(loadSession, async (visit, deps) => {
    const key = await findKey(visit, deps, 'key');
    if (key === undefined || key.isOrganizationOwned) return undefined;
    return { key, keyPath: keyPath(deps, key), mayManage: true };
  }),
  organizationKey: below(loadOrganization, findOrganizationKey),
  ownedKey: below(loadOwned, findOrganizationKey),
  task: below(loadSession, async (visit, { tasks }) => {
    const task = await tasks.byId(visit.actor, nameIn(visit, 'task'));
    return task.ok ? { task: task.value } : undefined;
  }),
  organizationTask: below(loadOrganization, async (visit, { tasks }) => {
    const task = await tasks.byIdIn(visit.actor, visit.organization.id, nameIn(visit, 'task'));
    return task.ok ? { task: task.value } : undefined;
  }),
  organization: loadOrganization,
  property: loadProperty,
  shareLink: below(loadProperty, (visit, { ids }) => {
    const shareLinkId = ids.open('share-link', nameIn(visit, 'link'));
    return shareLinkId === undefined ? undefined : { shareLinkId };
  }),
  rule: below(loadProperty, (visit, deps) => findRule(visit, deps, visit.property.id, 'rule')),
  owner: loadOwned,
  member: below(loadOwned, async (visit, { ids, members }) => {
    const name = nameIn(visit, 'member');
    const id = ids.open('account', name);
    const all = await members.list(visit.actor, visit.organization.id);
    const others = all.ok ? all.value.filter(({ role }) => role === 'member') : [];
    const member = others.find(({ accountId }) => accountId === id);
    return member && { member, memberPath: `${visit.organizationPath}/members/${name}` };
  }),
  invitation: below(loadOwned, (visit, { ids }) => {
    const invitationId = ids.open('invitation', nameIn(visit, 'invitation'));
    return invitationId === undefined ? undefined : { invitationId };
  }),
  admin: requireAdmin,
  user: below(requireAdmin, async (visit, { ids, users }) => {
    const id = ids.open('account', nameIn(visit, 'user'));
    const user = id === undefined ? undefined : await users.byId(visit.actor, id);
    return user?.ok ? { user: user.value } : undefined;
  }),
  systemRule: below(requireAdmin, (visit, deps) => findRule(visit, deps, 'installation', 'systemRule')),
};

/** @returns the visit of someone with a share link, whose token the path names as `:token`; otherwise, an error page (404) */
export async function loadShared(visit: Visit, { shareLinks }: PortalDeps): Promise<SharedVisit | Response> {
  const token = nameIn(visit, 'token');
  const property = await shareLinks.propertyOf(token);
  return property === undefined ? notFound(visit) : { ...visit, property, sharedPath: sharedPath(token) };
}

/** Guards of pages for administrators. */
export const ADMIN_GUARDS: readonly Guard[] = ['admin', 'user', 'systemRule'];

/** @returns the visit of an administrator; for other users, an error page (403) */
export function requireAdmin(visit: SignedInVisit): SignedInVisit | Response {
  if (visit.signedIn.account.isAdmin) return visit;
  return errorPage(visit, 403, t('kit.notAllowed.title'), t('kit.notAllowed.administrators'));
}

/** @returns the rule that the path names, with its list; undefined if the list has no such rule */
async function findRule(
  visit: SignedInVisit,
  { rules }: PortalDeps,
  scope: RuleScope,
  name: 'rule' | 'systemRule',
): Promise<{ readonly named: NamedRule } | undefined> {
  const list = await rules.list(visit.actor, scope);
  if (!list.ok) return undefined;
  const index = list.value.rules.findIndex(({ id }) => id === nameIn(visit, name));
  const rule = list.value.rules[index];
  return rule && { named: { list: list.value, rule, index } };
}

/** @returns the key that the path names, if the user can see it and it has not been revoked */
async function findKey(visit: SignedInVisit, { ids, apiKeys }: PortalDeps, name: 'key' | 'orgKey') {
  const id = ids.open('api-key', nameIn(visit, name));
  const key = id === undefined ? undefined : await apiKeys.byId(visit.actor, id);
  return key?.ok && key.value.revokedAt === undefined ? key.value : undefined;
}

async function findOrganizationKey(visit: OrganizationVisit, deps: PortalDeps) {
  const key = await findKey(visit, deps, 'orgKey');
  const isOwned = key?.isOrganizationOwned && key.organizationId === visit.organization.id;
  return key && isOwned ? { key, keyPath: keyPath(deps, key), mayManage: visit.isOwner } : undefined;
}

function nameIn({ params }: Visit, name: string): string {
  return params[name] ?? '';
}
