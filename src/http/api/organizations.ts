import { done, type Outcome, reject } from '../../lib/outcome.ts';
import { textField } from '../../model/field.ts';
import { type Organization, parseOrganizationName } from '../../model/organization.ts';
import type { Problem } from '../../model/problems.ts';
import type { OpaqueIds } from '../../platform/opaqueId.ts';
import type { Organizations } from '../../platform/organizations/organizations.ts';
import { jsonBody, type Schema, schema } from '../operationDocs.ts';
import type { Route } from '../router.ts';
import { type CreateHandler, type OperationResult, operationRoutes, withBody } from './operation.ts';
import { EXAMPLE_IDS, OBJECT_PROBLEMS, type PlatformOperation, read, written } from './operationDocs.ts';
import { createIdParsers, createParseObject, parseIdWith } from './parsing.ts';
import { envelope, ID, type Members, request, response, schemaOf, text } from './schemas.ts';

export type OrganizationRoutesDeps = {
  readonly organizations: Organizations;
  readonly ids: OpaqueIds;
  readonly operation: CreateHandler;
};

/** Items on a page of other lists; this list has all organizations on one page. */
const PAGE_MAX_SIZE = 50;

const EXISTING_ID = { name: 'id', missing: 'organization-id-empty', schema: ID } as const;
const EMPTY: Schema = { type: 'string', description: 'Omit it, or send an empty string or null.' };
const NO_ID = {
  name: 'id',
  parse: parseIdWith(parseNoId),
  schema: { ...EMPTY, nullable: true, enum: ['', null] },
};
const NAME = textField(
  {
    name: 'name',
    help: 'Up to 128 letters, marks, numbers, punctuation, symbols, and spaces; no angle brackets.',
    missing: 'organization-name-empty',
  },
  parseOrganizationName,
);
/** As the list returns it. */
const OWNER = textField({ name: 'owner', help: 'Read-only: omit it, or send the current owner.' }, done);

const CREATION = { id: NO_ID, name: NAME };

const ORGANIZATION: Members = { id: ID, name: schemaOf(NAME) };

export const ORGANIZATION_SCHEMAS: Members = {
  Organization: response(ORGANIZATION, 'An organization, which owns properties.'),
  ListedOrganization: response(
    { ...ORGANIZATION, owner: text("The owner's email address.") },
    'An organization with its owner.',
  ),
  OrganizationCreation: request(CREATION, 'A new organization.'),
  OrganizationUpdate: request(
    { id: EXISTING_ID, name: NAME, owner: OWNER },
    'An organization with its new name.',
  ),
  OrganizationReference: request({ id: EXISTING_ID }, 'The id of an organization.'),
  OrganizationListEnvelope: envelope({ type: 'array', items: schema('ListedOrganization') }, true),
  OrganizationEnvelope: envelope(schema('Organization')),
};

const WRITE = { tag: 'Organizations', path: '/org', access: 'write', bodyLimit: 128 * 1024 } as const;

const NAME_PROBLEMS: readonly Problem[] = [
  'organization-name-empty',
  'organization-name-too-long',
  'organization-name-malformed',
  'organization-name-taken',
];
const OWNER_PROBLEMS: readonly Problem[] = [
  'organization-id-empty',
  'organization-id-malformed',
  'organization-unknown',
  'organization-not-owned',
  'key-organization-only',
];

const EXAMPLE = { id: EXAMPLE_IDS.org_id, name: 'Ann and friends' };
const RENAMED = { ...EXAMPLE, name: 'Ann, Ben and friends' };

const OPERATIONS = {
  listOrganizations: {
    method: 'GET',
    path: '/orgs',
    access: 'read',
    tag: 'Organizations',
    summary: 'List organizations',
    description:
      'Lists all organizations that the user of the key owns or is a member of, on one page. A key that is limited to one organization lists only that one. `owner` distinguishes organizations with the same name.',
    response: read('The organizations.', 'OrganizationListEnvelope', {
      organizations: {
        data: [{ ...EXAMPLE, owner: 'ann@example.com' }],
        pagination: { page: 0, per_page: PAGE_MAX_SIZE, has_more: false },
      },
    }),
    problems: [],
  },
  createOrganization: {
    ...WRITE,
    method: 'POST',
    summary: 'Create an organization',
    description:
      'The user of the key becomes the owner. Omit `id`, or leave it empty; the response contains the new id.',
    body: jsonBody('The new organization.', schema('OrganizationCreation'), {
      organization: { name: EXAMPLE.name },
    }),
    response: written('The new organization.', 'OrganizationEnvelope', { organization: { data: EXAMPLE } }),
    problems: [
      ...OBJECT_PROBLEMS,
      ...NAME_PROBLEMS,
      'organization-id-not-empty',
      'organizations-limit',
      'key-organization-only',
    ],
  },
  updateOrganization: {
    ...WRITE,
    method: 'PUT',
    summary: 'Rename an organization',
    description:
      'Only the owner can rename an organization. A client can send an organization back exactly as it was listed: `owner` is accepted if it is the current owner.',
    body: jsonBody('The organization with its new name.', schema('OrganizationUpdate'), {
      organization: RENAMED,
    }),
    response: written('The renamed organization.', 'OrganizationEnvelope', {
      organization: { data: RENAMED },
    }),
    problems: [...OBJECT_PROBLEMS, ...NAME_PROBLEMS, ...OWNER_PROBLEMS, 'organization-owner-read-only'],
  },
  deleteOrganization: {
    ...WRITE,
    method: 'DELETE',
    summary: 'Delete an organization',
    description: 'Only the owner can delete an organization. Its properties stop working immediately.',
    body: jsonBody('The id of the organization.', schema('OrganizationReference'), {
      organization: { id: EXAMPLE.id },
    }),
    response: written('The organization was deleted.', 'EmptyEnvelope', { deleted: { data: null } }),
    problems: [...OBJECT_PROBLEMS, ...OWNER_PROBLEMS],
  },
} as const satisfies Record<string, PlatformOperation>;

/** The routes of `/orgs` and `/org`. */
export function organizationRoutes({
  organizations,
  ids,
  operation,
}: OrganizationRoutesDeps): readonly Route[] {
  const id = { ...EXISTING_ID, parse: parseIdWith(createIdParsers(ids).organizationId) };

  const toWire = ({ id, name }: Organization) => ({ id: ids.seal('organization', id), name });
  const toResult = (outcome: Outcome<Organization, Problem>): OperationResult =>
    outcome.ok ? { ok: true, data: toWire(outcome.value) } : outcome;

  return operationRoutes(operation, OPERATIONS, {
    async listOrganizations({ actor }) {
      const found = await organizations.list(actor);
      const pagination = { page: 0, per_page: Math.max(found.length, PAGE_MAX_SIZE), has_more: false };
      return { ok: true, data: found.map((one) => ({ ...toWire(one), owner: one.ownerEmail })), pagination };
    },
    createOrganization: withBody(createParseObject(CREATION), async ({ name }, { actor }) => {
      if (actor.source === 'organization-key') return { ok: false, problem: 'key-organization-only' };
      return toResult(await organizations.create(actor, { name, ownerId: actor.user }));
    }),
    updateOrganization: withBody(
      createParseObject({ id, name: NAME, owner: OWNER }),
      async ({ id, name, owner }, { actor }) => toResult(await organizations.rename(actor, id, name, owner)),
    ),
    deleteOrganization: withBody(createParseObject({ id }), async ({ id }, { actor }) => {
      const removed = await organizations.remove(actor, id);
      return removed.ok ? { ok: true, data: null } : removed;
    }),
  });
}

function parseNoId(given: string): Outcome<undefined, 'organization-id-not-empty'> {
  return given === '' ? done(undefined) : reject('organization-id-not-empty');
}
