import type { Problem } from '../../model/problems.ts';
import { IF_NONE_MATCH, jsonBody, type Operation, schema } from './builders.ts';
import { errorResponses } from './errorResponses.ts';
import { PLATFORM_PROBLEMS, PORTAL_KEY, read, WRITING_PROBLEMS, written } from './platform.ts';

const OBJECT_PROBLEMS: readonly Problem[] = [...WRITING_PROBLEMS, 'field-mistyped', 'field-unknown'];

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

const OWNER = 'ann@example.com';

export const EXAMPLE_ORGANIZATION = { id: 'Q65MmmLtTR8IlCTsKbP3Aw', name: 'Ann and friends' };

const RENAMED = { ...EXAMPLE_ORGANIZATION, name: 'Ann, Ben and friends' };

const tags = ['Organizations'];

export const ORGANIZATION_OPERATIONS = {
  listOrganizations: {
    operationId: 'listOrganizations',
    tags,
    summary: 'List organizations',
    description:
      'Lists all organizations that the user of the key owns or is a member of, on one page. A key that is limited to one organization lists only that one. `owner` distinguishes organizations with the same name.',
    security: PORTAL_KEY,
    parameters: [IF_NONE_MATCH],
    responses: {
      ...read('The organizations.', 'OrganizationListEnvelope', {
        organizations: {
          data: [{ ...EXAMPLE_ORGANIZATION, owner: OWNER }],
          pagination: { page: 0, per_page: 50, has_more: false },
        },
      }),
      ...errorResponses(PLATFORM_PROBLEMS),
    },
  },
  createOrganization: {
    operationId: 'createOrganization',
    tags,
    summary: 'Create an organization',
    description:
      'The user of the key becomes the owner. Omit `id`, or leave it empty; the response contains the new id.',
    security: PORTAL_KEY,
    requestBody: jsonBody('The new organization.', schema('OrganizationCreation'), {
      organization: { name: EXAMPLE_ORGANIZATION.name },
    }),
    responses: {
      200: written('The new organization.', 'OrganizationEnvelope', {
        organization: { data: EXAMPLE_ORGANIZATION },
      }),
      ...errorResponses([
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
    description:
      'Only the owner can rename an organization. A client can send an organization back exactly as it was listed: `owner` is accepted if it is the current owner.',
    security: PORTAL_KEY,
    requestBody: jsonBody('The organization with its new name.', schema('OrganizationUpdate'), {
      organization: RENAMED,
    }),
    responses: {
      200: written('The renamed organization.', 'OrganizationEnvelope', {
        organization: { data: RENAMED },
      }),
      ...errorResponses([
        ...OBJECT_PROBLEMS,
        ...NAME_PROBLEMS,
        ...OWNER_PROBLEMS,
        'organization-owner-read-only',
      ]),
    },
  },
  deleteOrganization: {
    operationId: 'deleteOrganization',
    tags,
    summary: 'Delete an organization',
    description: 'Only the owner can delete an organization. Its properties stop working immediately.',
    security: PORTAL_KEY,
    requestBody: jsonBody('The id of the organization.', schema('OrganizationReference'), {
      organization: { id: EXAMPLE_ORGANIZATION.id },
    }),
    responses: {
      200: written('The organization was deleted.', 'EmptyEnvelope', { deleted: { data: null } }),
      ...errorResponses([...OBJECT_PROBLEMS, ...OWNER_PROBLEMS]),
    },
  },
} satisfies Record<string, Operation>;
