import type { Problem } from '../../model/problems.ts';
import { IF_NONE_MATCH, jsonBody, type Operation, schema } from './parts.ts';
import {
  PLATFORM_PROBLEMS,
  PORTAL_KEY,
  platformRefusals,
  read,
  WRITING_PROBLEMS,
  written,
} from './platform.ts';

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
      'All organizations that the user of the key owns or is a member of, on one page; a key that is limited to one organization sees that one. `owner` tells organizations of the same name apart.',
    security: PORTAL_KEY,
    parameters: [IF_NONE_MATCH],
    responses: {
      ...read('The organizations.', 'OrganizationListEnvelope', {
        organizations: {
          data: [{ ...EXAMPLE_ORGANIZATION, owner: OWNER }],
          pagination: { page: 0, per_page: 50, has_more: false },
        },
      }),
      ...platformRefusals(PLATFORM_PROBLEMS),
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
      organization: { name: EXAMPLE_ORGANIZATION.name },
    }),
    responses: {
      ...written('The organization, with its id.', 'OrganizationEnvelope', {
        organization: { data: EXAMPLE_ORGANIZATION },
      }),
      ...platformRefusals([
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
      'Only for the owner. A client can send an organization back exactly as it was listed: `owner` is accepted if it is the current one.',
    security: PORTAL_KEY,
    requestBody: jsonBody('The organization, with its new name.', schema('OrganizationUpdate'), {
      organization: RENAMED,
    }),
    responses: {
      ...written('The organization as it is now.', 'OrganizationEnvelope', {
        organization: { data: RENAMED },
      }),
      ...platformRefusals([
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
    description: 'For its owner alone. Its properties stop at once: their pages get no more puzzles.',
    security: PORTAL_KEY,
    requestBody: jsonBody('Which organization.', schema('OrganizationReference'), {
      organization: { id: EXAMPLE_ORGANIZATION.id },
    }),
    responses: {
      ...written('It is gone.', 'EmptyEnvelope', { done: { data: null } }),
      ...platformRefusals([...OBJECT_PROBLEMS, ...OWNER_PROBLEMS]),
    },
  },
} satisfies Record<string, Operation>;
