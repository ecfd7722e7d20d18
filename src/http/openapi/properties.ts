import { PROBLEMS, type Problem, type ProblemRow } from '../../model/problems.ts';
import { OK_CODE, OK_SENTENCE } from '../envelope.ts';
import { IF_NONE_MATCH, jsonBody, type Operation, type Parameter, schema } from './builders.ts';
import { errorResponses } from './errorResponses.ts';
import { EXAMPLE_ORGANIZATION } from './organizations.ts';
import { PLATFORM_PROBLEMS, PORTAL_KEY, read, WRITING_PROBLEMS, written } from './platform.ts';

/** The parameter of operations on an organization. */
export const ORG_ID: Parameter = {
  name: 'org_id',
  in: 'path',
  required: true,
  description: 'The id of the organization.',
  schema: { type: 'string' },
  example: EXAMPLE_ORGANIZATION.id,
};

const EXAMPLE_SUMMARY = {
  id: 'S7T0_MqDpoCqi49RMMT1CQ',
  name: 'Shop',
  sitekey: 'aea467bc315688bf55ff632df525dda8',
};
const EXAMPLE_PROPERTY = {
  ...EXAMPLE_SUMMARY,
  domain: 'example.com',
  level: 128,
  growth: 'medium',
  challenge: 'blake2b',
  validity_seconds: 1800,
  allow_subdomains: true,
  allow_localhost: false,
  max_replay_count: 1,
  enabled: true,
};
/** The parameter of operations on one property. */
export const PROPERTY_ID: Parameter = {
  name: 'property_id',
  in: 'path',
  required: true,
  description: 'The id of the property.',
  schema: { type: 'string' },
  example: EXAMPLE_PROPERTY.id,
};

const EXAMPLE_TASK_ID = '6a09e667f3bcc908b2fb1366ea957d3e';

/** Problems of operations that read the properties of an organization. */
export const IN_ORGANIZATION: readonly Problem[] = [
  'organization-id-malformed',
  'organization-unknown',
  'organization-not-yours',
  'key-organization-only',
];

const SETTING_PROBLEMS: readonly Problem[] = [
  'field-mistyped',
  'field-unknown',
  'property-name-empty',
  'property-name-too-long',
  'property-name-malformed',
  'domain-empty',
  'domain-localhost',
  'domain-is-address',
  'domain-not-valid',
  'domain-single-label',
  'domain-is-suffix',
  'domain-malformed',
  'level-malformed',
  'growth-unknown',
  'challenge-unknown',
  'validity-malformed',
  'allowance-malformed',
  'allow-subdomains-malformed',
  'allow-localhost-malformed',
  'enabled-malformed',
];

const BATCH_PROBLEMS: readonly Problem[] = [
  ...WRITING_PROBLEMS,
  'batch-malformed',
  'batch-too-large',
  'task-queue-full',
];

const ID_PROBLEMS: readonly Problem[] = [
  'property-id-empty',
  'property-id-malformed',
  'property-id-repeated',
];

/** Problems of items in a task. */
export const TASK_PROBLEMS: readonly Problem[] = [
  'property-name-taken',
  'domain-unresolved',
  'dns-unanswered',
  'properties-limit',
  'organization-unknown',
  'organization-not-yours',
  'property-gone',
  'property-not-yours',
  'sitekey-read-only',
  'import-not-applied',
  'task-key-revoked',
  'task-account-disabled',
  'internal-error',
];

/** Rejected creations have a name; all other rejected items have an id. */
const REJECTED_ITEMS = TASK_PROBLEMS.map((problem) => {
  const { code, sentence: description }: ProblemRow = PROBLEMS[problem];
  if (problem === 'internal-error') return { code, description };
  const hasId = ['property-gone', 'property-not-yours', 'sitekey-read-only'].includes(problem);
  return { code, description, ...(hasId ? { id: EXAMPLE_SUMMARY.id } : { name: EXAMPLE_SUMMARY.name }) };
});

/** The response of operations that start a task, a component of the document. */
export const TASK_STARTED = written('The task. Poll it until it is finished.', 'TaskStartedEnvelope', {
  task: { data: { id: EXAMPLE_TASK_ID } },
});

const VALIDATION =
  'If the request alone shows that an item is invalid, the whole batch is rejected and `data.errors` lists the invalid items. Everything else is checked for each item in the task.';

const tags = ['Properties'];

// biome-ignore format: a table of operations
export const PROPERTY_OPERATIONS = {
  listProperties: {
    operationId: 'listProperties',
    tags,
    summary: 'List the properties of an organization',
    description: 'Returns one page. `pagination.has_more` shows whether there is another page.',
    security: PORTAL_KEY,
    parameters: [
      ORG_ID,
      { name: 'page', in: 'query', description: 'The number of the page, from 0.', schema: { type: 'integer', minimum: 0, default: 0 } },
      { name: 'per_page', in: 'query', description: 'Number of properties on a page, at most 50.', schema: { type: 'integer', minimum: 1, default: 50 } },
      { name: 'sort', in: 'query', description: 'Order by creation date or by name.', schema: { type: 'string', enum: ['date_asc', 'date_desc', 'name_asc', 'name_desc'], default: 'date_asc' } },
      IF_NONE_MATCH,
    ],
    responses: {
      ...read('One page of properties.', 'PropertyListEnvelope', {
        properties: { data: [EXAMPLE_SUMMARY], pagination: { page: 0, per_page: 50, has_more: false } },
      }),
      ...errorResponses([...PLATFORM_PROBLEMS, ...IN_ORGANIZATION, 'query-malformed']),
    },
  },
  getProperty: {
    operationId: 'getProperty',
    tags,
    summary: 'Get a property with its settings',
    description: 'Returns all settings of a property and its sitekey.',
    security: PORTAL_KEY,
    parameters: [
      ORG_ID,
      PROPERTY_ID,
      IF_NONE_MATCH,
    ],
    responses: {
      ...read('The property.', 'PropertyEnvelope', { property: { data: EXAMPLE_PROPERTY } }),
      ...errorResponses([...PLATFORM_PROBLEMS, ...IN_ORGANIZATION, 'property-id-malformed', 'property-gone']),
    },
  },
  createProperties: {
    operationId: 'createProperties',
    tags,
    summary: 'Create properties',
    description: `Starts a task that creates up to 128 properties. ${VALIDATION}`,
    security: PORTAL_KEY,
    parameters: [ORG_ID],
    requestBody: jsonBody('The new properties. Omitted settings have their defaults.', schema('PropertyCreationBatch'), {
      required: [{ name: 'Shop', domain: 'example.com' }],
      all: [{ name: 'Forum', domain: 'forum.example.com', level: 128, growth: 'medium', challenge: 'argon2id', validity_seconds: 1800, allow_subdomains: true, allow_localhost: false, max_replay_count: 1, enabled: true }],
    }),
    responses: {
      200: { $ref: '#/components/responses/TaskStarted' },
      ...errorResponses([...BATCH_PROBLEMS, ...IN_ORGANIZATION, ...SETTING_PROBLEMS, 'property-name-taken']),
    },
  },
  updateProperties: {
    operationId: 'updateProperties',
    tags,
    summary: 'Change properties',
    description: `Starts a task that changes up to 128 properties of any organization that the key can access. Omitted settings keep their values. A client can send a property back exactly as the API returned it: \`sitekey\` is accepted if it is the current one. ${VALIDATION}`,
    security: PORTAL_KEY,
    requestBody: jsonBody('The changes.', schema('PropertyUpdateBatch'), {
      update: [{ id: EXAMPLE_PROPERTY.id, level: 140, growth: 'fast' }],
    }),
    responses: {
      200: { $ref: '#/components/responses/TaskStarted' },
      ...errorResponses([...BATCH_PROBLEMS, ...ID_PROBLEMS, 'sitekey-read-only', ...SETTING_PROBLEMS]),
    },
  },
  deleteProperties: {
    operationId: 'deleteProperties',
    tags,
    summary: 'Delete properties',
    description: `Starts a task that deletes up to 128 properties of any organization that the key can access. ${VALIDATION}`,
    security: PORTAL_KEY,
    requestBody: jsonBody('The ids of the properties.', schema('PropertyDeletionBatch'), { ids: [EXAMPLE_PROPERTY.id] }),
    responses: {
      200: { $ref: '#/components/responses/TaskStarted' },
      ...errorResponses([...BATCH_PROBLEMS, ...ID_PROBLEMS, 'field-mistyped']),
    },
  },
  getTask: {
    operationId: 'getTask',
    tags: ['Tasks'],
    summary: 'Get a task',
    description: 'Returns a task of the same user. `result` is null until the task is finished; then it has an entry for each item, in the order of the request.',
    security: PORTAL_KEY,
    parameters: [
      { name: 'id', in: 'path', required: true, description: 'The id in the response to the batch.', schema: { type: 'string' }, example: EXAMPLE_TASK_ID },
      IF_NONE_MATCH,
    ],
    responses: {
      ...read('The task.', 'TaskEnvelope', {
        running: { data: { id: EXAMPLE_TASK_ID, finished: false, result: null } },
        finished: { data: { id: EXAMPLE_TASK_ID, finished: true, result: [{ code: OK_CODE, description: OK_SENTENCE, ...EXAMPLE_SUMMARY }] } },
        rejected: { data: { id: EXAMPLE_TASK_ID, finished: true, result: REJECTED_ITEMS } },
      }),
      ...errorResponses([...PLATFORM_PROBLEMS, 'task-unknown']),
    },
  },
} satisfies Record<string, Operation>;
