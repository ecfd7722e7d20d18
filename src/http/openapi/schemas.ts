import { VERDICT_CODES } from '../../captcha/verdict.ts';
import { PROBLEMS } from '../../model/problems.ts';
import { PROPERTY_FIELDS, SETTING_FIELDS } from '../../model/propertyFields.ts';
import { BATCH_MAX_ITEMS } from '../../model/task.ts';
import { OK_CODE } from '../envelope.ts';
import { API_KEY_SCHEMAS } from './apiKeys.ts';
import { EXAMPLE_REQUEST_ID, type Schema, schema } from './builders.ts';
import { RULE_ENVELOPES, RULE_SCHEMAS } from './ruleSchemas.ts';
import { STATISTICS_SCHEMAS } from './statistics.ts';

type Members = Readonly<Record<string, Schema>>;

const text = (description: string): Schema => ({ type: 'string', description });

const ID = text('An opaque id of this installation.');
const NAME = text('Up to 128 letters, marks, numbers, punctuation, symbols, and spaces; no angle brackets.');
const PROPERTY_NAME = text(PROPERTY_FIELDS.name.help);
const DOMAIN = text(PROPERTY_FIELDS.domain.help);
const SITEKEY: Schema = { ...text('The public key of the property, for pages.'), pattern: '^[0-9a-f]{32}$' };
const TASK_ID: Schema = { type: 'string', pattern: '^[0-9a-f]{32}$' };
const CODE_DESCRIPTION = 'A code from the tables in the introduction.';
const CODE: Schema = { type: 'integer', description: CODE_DESCRIPTION };
const SENTENCE = text('The meaning of the code in a sentence.');
const HOST = text('The host of the page that requested the puzzle; empty if it is unknown.');

type SettingField = (typeof SETTING_FIELDS)[keyof typeof SETTING_FIELDS];

function settingSchema(field: SettingField, description: string): Schema {
  switch (field.kind) {
    case 'number':
      return { type: 'integer', minimum: field.min, maximum: field.max, description };
    case 'choice':
      return { type: 'string', enum: [...field.choices], description };
    default:
      return { type: field.kind, description };
  }
}

/**
 * The settings of a property.
 *
 * @param withDefaults whether descriptions contain the defaults; generators make members with a `default` required
 */
function settings(withDefaults: boolean): Members {
  const schemas = Object.values(SETTING_FIELDS).map((field) => {
    const note = withDefaults ? ` Default: ${JSON.stringify(field.default)}.` : '';
    return [field.name, settingSchema(field, field.help + note)];
  });
  return Object.fromEntries(schemas);
}

const PROPERTY_MEMBERS = {
  id: ID,
  name: PROPERTY_NAME,
  domain: DOMAIN,
  sitekey: SITEKEY,
  ...settings(false),
};

/** An object in a response. Later versions may add members. */
function response(
  properties: Members,
  description?: string,
  required: string[] = Object.keys(properties),
): Schema {
  return { type: 'object', ...(description && { description }), required, properties };
}

/** An object in a request. Other members are rejected. */
function request(properties: Members, required: string[], description: string): Schema {
  return { type: 'object', description, required, properties, additionalProperties: false };
}

function batchOf(items: Schema, description: string): Schema {
  return { type: 'array', description, minItems: 1, maxItems: BATCH_MAX_ITEMS, items };
}

/** The envelope of a success response. */
function envelope(data: Schema, isList = false): Schema {
  const pagination = isList ? { pagination: schema('Pagination') } : {};
  return response({ meta: schema('Meta'), data, ...pagination });
}

const NOTHING: Schema = { type: 'object', nullable: true, enum: [null], description: 'Always null.' };

const CODES = [...new Set([OK_CODE, ...Object.values(PROBLEMS).map(({ code }) => code)])].sort(
  (a, b) => a - b,
);

const { code, sentence: description } = PROBLEMS['organization-unknown'];
const NOT_FOUND = { code, description };

const ENVELOPES: Members = {
  OrganizationListEnvelope: envelope({ type: 'array', items: schema('ListedOrganization') }, true),
  OrganizationEnvelope: envelope(schema('Organization')),
  PropertyListEnvelope: envelope({ type: 'array', items: schema('PropertySummary') }, true),
  PropertyEnvelope: envelope(schema('Property')),
  PropertyStatisticsEnvelope: envelope(schema('PropertyStatistics')),
  TaskStartedEnvelope: envelope(schema('TaskReference')),
  TaskEnvelope: envelope(schema('Task')),
  ...Object.fromEntries(Object.entries(RULE_ENVELOPES).map(([name, data]) => [name, envelope(data)])),
  RotatedApiKeyEnvelope: envelope(schema('RotatedApiKey')),
  EmptyEnvelope: envelope(NOTHING),
  ErrorEnvelope: {
    ...response(
      { meta: schema('Meta'), data: schema('ErrorDetails') },
      'The request was rejected and changed nothing. `meta` contains the reason.',
    ),
    example: { meta: { ...NOT_FOUND, request_id: EXAMPLE_REQUEST_ID }, data: null },
  },
};

const PLATFORM: Members = {
  Meta: response(
    {
      code: { type: 'integer', enum: CODES, description: CODE_DESCRIPTION },
      description: SENTENCE,
      request_id: text('The request id, also in the header X-Request-Id and in the log of the server.'),
    },
    'The result of the request.',
  ),
  Pagination: response({
    page: { type: 'integer', minimum: 0 },
    per_page: { type: 'integer', minimum: 1 },
    has_more: { type: 'boolean', description: 'Whether there is another page.' },
  }),
  ErrorDetails: {
    ...response({ errors: { type: 'array', items: schema('ItemError') } }),
    nullable: true,
    description: 'The invalid items of a batch; null for other errors.',
  },
  ItemError: response({
    index: { type: 'integer', minimum: 0, description: 'The position of the item, from 0.' },
    code: CODE,
    description: SENTENCE,
  }),
  Organization: response({ id: ID, name: NAME }, 'An organization, which owns properties.'),
  ListedOrganization: response(
    { id: ID, name: NAME, owner: text("The owner's email address.") },
    'An organization with its owner.',
  ),
  OrganizationUpdate: request(
    { id: ID, name: NAME, owner: text('Read-only: omit it, or send the current owner.') },
    ['id', 'name'],
    'An organization with its new name.',
  ),
  OrganizationCreation: request(
    {
      id: { ...text('Omit it, or send an empty string or null.'), nullable: true, enum: ['', null] },
      name: NAME,
    },
    ['name'],
    'A new organization.',
  ),
  OrganizationReference: request({ id: ID }, ['id'], 'The id of an organization.'),
  PropertySummary: response({ id: ID, name: PROPERTY_NAME, sitekey: SITEKEY }),
  Property: response(PROPERTY_MEMBERS, 'A website that Postern protects.'),
  PropertyCreation: request(
    { name: PROPERTY_NAME, domain: DOMAIN, ...settings(true) },
    ['name', 'domain'],
    'A new property.',
  ),
  PropertyUpdate: request(
    { ...PROPERTY_MEMBERS, sitekey: text('Read-only: omit it, or send the current sitekey.') },
    ['id'],
    'The id of a property, and the settings to change.',
  ),
  PropertyCreationBatch: batchOf(schema('PropertyCreation'), 'New properties with different names.'),
  PropertyUpdateBatch: batchOf(schema('PropertyUpdate'), 'Changes, at most one for each property.'),
  PropertyDeletionBatch: batchOf(ID, 'Ids of different properties.'),
  TaskReference: response({ id: TASK_ID }),
  Task: response({
    id: TASK_ID,
    finished: { type: 'boolean' },
    result: {
      type: 'array',
      nullable: true,
      items: schema('TaskResult'),
      description: 'An entry for each item, in the order of the request; null until the task is finished.',
    },
  }),
  TaskResult: response(
    { code: CODE, description: SENTENCE, id: ID, name: PROPERTY_NAME, sitekey: SITEKEY },
    'The result of one item. `id`, `name`, and `sitekey` are present if they are known.',
    ['code', 'description'],
  ),
};

const REQUEST_ERRORS = [
  'missing-input-secret',
  'invalid-input-secret',
  'missing-input-response',
  'bad-request',
];

const VERIFICATION: Members = {
  Verdict: response(
    {
      success: { type: 'boolean' },
      code: { type: 'integer', enum: Object.values(VERDICT_CODES), description: CODE_DESCRIPTION },
      timestamp: { ...text('The time of the verification, in UTC.'), format: 'date-time' },
      origin: HOST,
    },
    'Accept a form if `success` is true. To reject permitted repeats (8) and solutions during maintenance (9) too, require `code` 0.',
  ),
  SiteverifyRequest: {
    type: 'object',
    description: 'The parameters of reCAPTCHA. Other parameters are ignored.',
    properties: {
      secret: text('An API key with the `verify` scope, unless it is in X-API-Key.'),
      response: text('The value of the hidden form field.'),
      sitekey: text('The sitekey of the form.'),
      remoteip: text('Ignored.'),
    },
  },
  SiteverifyResponse: response(
    {
      success: { type: 'boolean' },
      challenge_ts: { ...text('The time when the puzzle was issued, if known.'), format: 'date-time' },
      hostname: HOST,
      'error-codes': {
        type: 'array',
        items: {
          type: 'string',
          enum: [...Object.keys(VERDICT_CODES).filter((name) => name !== 'no-error'), ...REQUEST_ERRORS],
        },
      },
      score: {
        type: 'number',
        minimum: 0,
        maximum: 1,
        description: 'Only with X-Captcha-Compat-Version: rcV3.',
      },
      action: text('Only with X-Captcha-Compat-Version: rcV3; always empty.'),
    },
    'The response in the format of reCAPTCHA.',
    ['success', 'hostname', 'error-codes'],
  ),
};

const SERVICE: Members = {
  Liveness: response({ status: { type: 'string', enum: ['ok'] } }),
  Readiness: response({
    status: { type: 'string', enum: ['ok', 'unavailable'] },
    troubles: { type: 'array', items: { type: 'string' }, description: 'Names of the problems.' },
  }),
};

/** The schemas of bodies by name. Generators create types with these names. */
export const SCHEMAS: Members = {
  ...PLATFORM,
  ...API_KEY_SCHEMAS,
  ...STATISTICS_SCHEMAS,
  ...RULE_SCHEMAS,
  ...ENVELOPES,
  ...VERIFICATION,
  ...SERVICE,
};
