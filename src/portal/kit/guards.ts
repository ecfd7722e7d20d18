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
  SignedInVisit,
  SystemRuleVisit,
  TaskVisit,
  UserVisit,
  Visit,
} from './handler.ts';
import { errorPage, notFound } from './pages.tsx';
import { keyPath } from './paths.ts';

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
 * Loads the objects that a path names and checks that the user may use them.
 *
 * @returns a page instead: 404 for objects that do not exist or that the user may not see, 403 for members who are not the owner
 */
export const LOADERS: { readonly [Name in Exclude<Guard, 'public'>]: Load<VisitOf<Name>> } = {
  session: (visit) => visit,
  ownSession(visit, { ids }) {
    const sessionId = ids.open('session', nameIn(visit, 'session'));
    return sessionId === undefined ? notFound(visit) : { ...visit, sessionId };
  },
  async key(visit, deps) {
    const key = await findKey(visit, deps, 'key');
    if (key === undefined || key.isOrganizationOwned) return notFound(visit);
    return { ...visit, key, keyPath: keyPath(deps, key), mayManage: true };
  },
  async organizationKey(visit, deps) {
    return loadKey(await loadOrganization(visit, deps), deps);
  },
  async ownedKey(visit, deps) {
    return loadKey(await loadOwned(visit, deps), deps);
  },
  async task(visit, { tasks }) {
    const task = await tasks.byId(visit.actor, nameIn(visit, 'task'));
    return task.ok ? { ...visit, task: task.value } : notFound(visit);
  },
  async organizationTask(visit, deps) {
    const loaded = await loadOrganization(visit, deps);
    if (loaded instanceof Response) return loaded;
    const task = await deps.tasks.byIdIn(visit.actor, loaded.organization.id, nameIn(visit, 'task'));
    return task.ok ? { ...loaded, task: task.value } : notFound(visit);
  },
  organization: loadOrganization,
  property: loadProperty,
  async rule(visit, deps) {
    const loaded = await loadProperty(visit, deps);
    if (loaded instanceof Response) return loaded;
    const named = await findRule(visit, deps, loaded.property.id, 'rule');
    return named === undefined ? notFound(visit) : { ...loaded, named };
  },
  owner: loadOwned,
  async member(visit, deps) {
    const loaded = await loadOwned(visit, deps);
    if (loaded instanceof Response) return loaded;
    const name = nameIn(visit, 'member');
    const id = deps.ids.open('account', name);
    const members = await deps.members.list(visit.actor, loaded.organization.id);
    const others = members.ok ? members.value.filter(({ role }) => role === 'member') : [];
    const member = others.find(({ accountId }) => accountId === id);
    if (member === undefined) return notFound(visit);
    return { ...loaded, member, memberPath: `${loaded.organizationPath}/members/${name}` };
  },
  async invitation(visit, deps) {
    const loaded = await loadOwned(visit, deps);
    if (loaded instanceof Response) return loaded;
    const invitationId = deps.ids.open('invitation', nameIn(visit, 'invitation'));
    return invitationId === undefined ? notFound(visit) : { ...loaded, invitationId };
  },
  admin: requireAdmin,
  async user(visit, deps) {
    const admitted = requireAdmin(visit);
    if (admitted instanceof Response) return admitted;
    const id = deps.ids.open('account', nameIn(visit, 'user'));
    const user = id === undefined ? undefined : await deps.users.byId(visit.actor, id);
    return user?.ok ? { ...visit, user: user.value } : notFound(visit);
  },
  async systemRule(visit, deps) {
    const admitted = requireAdmin(visit);
    if (admitted instanceof Response) return admitted;
    const named = await findRule(visit, deps, 'installation', 'systemRule');
    return named === undefined ? notFound(visit) : { ...visit, named };
  },
};

/** Guards of pages for administrators. */
export const ADMIN_GUARDS: readonly Guard[] = ['admin', 'user', 'systemRule'];

/** @returns the visit of an administrator; for other users, an error page (403) */
export function requireAdmin(visit: SignedInVisit): SignedInVisit | Response {
  if (visit.signedIn.account.isAdmin) return visit;
  return errorPage(visit, 403, t('kit.notAllowed.title'), t('kit.notAllowed.administrators'));
}

async function loadOrganization(visit: SignedInVisit, { ids, access }: PortalDeps) {
  const name = nameIn(visit, 'org');
  const id = ids.open('organization', name);
  const found = id === undefined ? undefined : await access.requireMember(visit.actor, id);
  if (!found?.ok) return notFound(visit);
  const organization = found.value;
  const isOwner = organization.ownerId === visit.signedIn.account.id;
  return { ...visit, organization, organizationPath: `/portal/orgs/${name}`, isOwner };
}

async function loadProperty(visit: SignedInVisit, deps: PortalDeps) {
  const loaded = await loadOrganization(visit, deps);
  if (loaded instanceof Response) return loaded;
  const name = nameIn(visit, 'property');
  const id = deps.ids.open('property', name);
  if (id === undefined) return notFound(visit);
  const property = await deps.properties.byId(visit.actor, loaded.organization.id, id);
  if (!property.ok) return notFound(visit);
  const propertyPath = `${loaded.organizationPath}/properties/${name}`;
  return { ...loaded, property: property.value, propertyPath };
}

/** @returns the rule that the path names, with its list; undefined if the list has no such rule */
async function findRule(
  visit: SignedInVisit,
  { rules }: PortalDeps,
  scope: RuleScope,
  name: 'rule' | 'systemRule',
): Promise<NamedRule | undefined> {
  const list = await rules.list(visit.actor, scope);
  if (!list.ok) return undefined;
  const index = list.value.rules.findIndex(({ id }) => id === nameIn(visit, name));
  const rule = list.value.rules[index];
  return rule === undefined ? undefined : { list: list.value, rule, index };
}

/** @returns the key that the path names, if the user can see it and it has not been revoked */
async function findKey(visit: SignedInVisit, { ids, apiKeys }: PortalDeps, name: 'key' | 'orgKey') {
  const id = ids.open('api-key', nameIn(visit, name));
  const key = id === undefined ? undefined : await apiKeys.byId(visit.actor, id);
  return key?.ok && key.value.revokedAt === undefined ? key.value : undefined;
}

/** Loads a key of an organization. */
async function loadKey(loaded: OrganizationVisit | Response, deps: PortalDeps) {
  if (loaded instanceof Response) return loaded;
  const key = await findKey(loaded, deps, 'orgKey');
  const isOwned = key?.isOrganizationOwned && key.organizationId === loaded.organization.id;
  if (key === undefined || !isOwned) return notFound(loaded);
  return { ...loaded, key, keyPath: keyPath(deps, key), mayManage: loaded.isOwner };
}

async function loadOwned(visit: SignedInVisit, deps: PortalDeps): Promise<OrganizationVisit | Response> {
  const loaded = await loadOrganization(visit, deps);
  if (loaded instanceof Response || loaded.isOwner) return loaded;
  return errorPage(visit, 403, t('kit.notAllowed.title'), sentenceFor('organization-not-owned'));
}

function nameIn({ params }: Visit, name: string): string {
  return params[name] ?? '';
}
