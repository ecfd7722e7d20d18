import type { Problem } from '../../model/problems.ts';
import {
  EXAMPLE_REQUEST_ID,
  headers,
  json,
  jsonBody,
  type Operation,
  type Parameter,
  schema,
} from './parts.ts';
import { refusals } from './refusals.ts';

/** A key of scope `portal` in `X-API-Key`. */
export const PORTAL_KEY = [{ PortalKey: [] }];

/** What every operation of the Platform API may answer. */
export const PLATFORM_PROBLEMS: readonly Problem[] = [
  'key-not-accepted',
  'scope-not-enough',
  'key-rate-limited',
  'internal-error',
  'unavailable',
];

/** What every operation that takes a body may answer. */
export const WRITING_PROBLEMS: readonly Problem[] = [
  ...PLATFORM_PROBLEMS,
  'key-read-only',
  'body-too-large',
  'media-type-unsupported',
  'json-malformed',
  'maintenance',
];

const OBJECT_PROBLEMS: readonly Problem[] = ['field-mistyped', 'field-unknown'];

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

/** For operations that answer 304 to who has the answer already. */
export const IF_NONE_MATCH: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  description: 'The `ETag` of an earlier answer; where nothing has changed since, the status is 304.',
  schema: { type: 'string' },
};

export const OK_META = { code: 1000, description: 'OK.', request_id: EXAMPLE_REQUEST_ID };

export const EXAMPLE_ORGANIZATION = { id: 'Q65MmmLtTR8IlCTsKbP3Aw', name: 'Ann and friends' };

const tags = ['Organizations'];

export const ORGANIZATION_OPERATIONS = {
  listOrganizations: {
    operationId: 'listOrganizations',
    tags,
    summary: 'List organizations',
    description:
      'All organizations that the user of the key owns or is a member of, on one page; a key that is limited to one organization sees that one.',
    security: PORTAL_KEY,
    parameters: [IF_NONE_MATCH],
    responses: {
      200: json(
        'The organizations.',
        schema('OrganizationListEnvelope'),
        {
          organizations: {
            meta: OK_META,
            data: [EXAMPLE_ORGANIZATION],
            pagination: { page: 0, per_page: 1, has_more: false },
          },
        },
        ['ETag'],
      ),
      304: { description: 'Nothing has changed since.', headers: headers('ETag') },
      ...refusals(PLATFORM_PROBLEMS),
    },
  },
  createOrganization: {
    operationId: 'createOrganization',
    tags,
    summary: 'Create an organization',
    description:
      'The user of the key becomes its owner. `id` is absent or empty: the answer has the new one.',
    security: PORTAL_KEY,
    requestBody: jsonBody('The new organization.', schema('OrganizationCreation'), {
      organization: { name: 'Ann and friends' },
    }),
    responses: {
      200: json('The organization, with its id.', schema('OrganizationEnvelope'), {
        organization: { meta: OK_META, data: EXAMPLE_ORGANIZATION },
      }),
      ...refusals([
        ...WRITING_PROBLEMS,
        ...OBJECT_PROBLEMS,
        ...NAME_PROBLEMS,
        'organization-id-not-empty',
        'organizations-limit',
        'key-organization-only',
      ]),
    },
  },
  updateOrganization: {
    operationId: 'updateOrganization',
    tags,
    summary: 'Rename an organization',
    description: 'For its owner alone.',
    security: PORTAL_KEY,
    requestBody: jsonBody('The organization, with its new name.', schema('Organization'), {
      organization: { ...EXAMPLE_ORGANIZATION, name: 'Ann, Ben and friends' },
    }),
    responses: {
      200: json('The organization as it is now.', schema('OrganizationEnvelope'), {
        organization: { meta: OK_META, data: { ...EXAMPLE_ORGANIZATION, name: 'Ann, Ben and friends' } },
      }),
      ...refusals([...WRITING_PROBLEMS, ...OBJECT_PROBLEMS, ...NAME_PROBLEMS, ...OWNER_PROBLEMS]),
    },
  },
  deleteOrganization: {
    operationId: 'deleteOrganization',
    tags,
    summary: 'Delete an organization',
    description: 'For its owner alone. Its properties stop at once: their pages get no more puzzles.',
    security: PORTAL_KEY,
    requestBody: jsonBody('Which organization.', schema('OrganizationReference'), {
      organization: { id: EXAMPLE_ORGANIZATION.id },
    }),
    responses: {
      200: json('It is gone.', schema('EmptyEnvelope'), { done: { meta: OK_META, data: null } }),
      ...refusals([...WRITING_PROBLEMS, ...OBJECT_PROBLEMS, ...OWNER_PROBLEMS]),
    },
  },
} satisfies Record<string, Operation>;
