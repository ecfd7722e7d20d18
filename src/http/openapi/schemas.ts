import { VERDICT_CODES } from '../../captcha/verdict.ts';
import { PROBLEMS } from '../../model/problems.ts';
import { PROPERTY_FIELDS, SETTING_FIELDS } from '../../model/propertyFields.ts';
import { BATCH_MAX_ITEMS } from '../../model/task.ts';
import { OK_CODE } from '../envelope.ts';
import { type Schema, schema } from './parts.ts';
import { STATISTICS_SCHEMAS } from './statistics.ts';

/** Shapes of bodies, by name: what generators make types of. */

const ID: Schema = { type: 'string', description: 'Opaque; holds for this installation.' };
const NAME: Schema = {
  type: 'string',
  description: 'Up to 128 letters, marks, numbers, punctuation, symbols and spaces, no angle brackets.',
};
const PROPERTY_NAME: Schema = { type: 'string', description: PROPERTY_FIELDS.name.help };
const DOMAIN: Schema = { type: 'string', description: PROPERTY_FIELDS.domain.help };
const SITEKEY: Schema = {
  type: 'string',
  pattern: '^[0-9a-f]{32}$',
  description: 'The public name of the property, for the page.',
};
const READ_ONLY_SITEKEY: Schema = {
  type: 'string',
  description: 'Read-only: the stored sitekey, or absent.',
};
const OWNER: Schema = { type: 'string', description: "The owner's email address." };
const READ_ONLY_OWNER: Schema = {
  type: 'string',
  description: 'Read-only: the current owner, or absent.',
};
const TASK_ID: Schema = { type: 'string', pattern: '^[0-9a-f]{32}$' };
const CODE: Schema = { type: 'integer', description: 'A code of the table in the introduction.' };
const SENTENCE: Schema = { type: 'string', description: 'The code in a full sentence, for people.' };

type SettingField = (typeof SETTING_FIELDS)[keyof typeof SETTING_FIELDS];

/** @param help what the schema's description says */
function schemaOfSetting(field: SettingField, description: string): Schema {
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
 * The settings of a property. Generators make a member with `default` a required one, so the defaults are in the descriptions.
 *
 * @param areOptional whether an absent setting means its default
 */
function settings(areOptional: boolean): Record<string, Schema> {
  const schemas = Object.values(SETTING_FIELDS).map((field) => {
    const note = areOptional ? ` Default: ${JSON.stringify(field.default)}.` : '';
    return [field.name, schemaOfSetting(field, field.help + note)];
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

/** An object; what requests may have besides is refused, what answers may have is open. */
function answer(properties: Record<string, Schema>, required = Object.keys(properties)): Schema {
  return { type: 'object', required, properties };
}

function request(properties: Record<string, Schema>, required: string[], description: string): Schema {
  return { type: 'object', description, required, properties, additionalProperties: false };
}

function batchOf(items: Schema, description: string): Schema {
  return { type: 'array', description, minItems: 1, maxItems: BATCH_MAX_ITEMS, items };
}

/** An answer of the Platform API. */
function envelope(data: Schema, isList = false): Schema {
  const pagination = isList ? { pagination: schema('Pagination') } : {};
  return answer({ meta: schema('Meta'), data, ...pagination });
}

const NOTHING: Schema = { type: 'object', nullable: true, enum: [null], description: 'Always null.' };

const CODES = [...new Set([OK_CODE, ...Object.values(PROBLEMS).map(({ code }) => code)])].sort(
  (a, b) => a - b,
);

const ENVELOPES: Readonly<Record<string, Schema>> = {
  OrganizationListEnvelope: envelope({ type: 'array', items: schema('ListedOrganization') }, true),
  OrganizationEnvelope: envelope(schema('Organization')),
  PropertyListEnvelope: envelope({ type: 'array', items: schema('PropertySummary') }, true),
  PropertyEnvelope: envelope(schema('Property')),
  PropertyStatisticsEnvelope: envelope(schema('PropertyStatistics')),
  TaskStartedEnvelope: envelope(schema('TaskReference')),
  TaskEnvelope: envelope(schema('Task')),
  EmptyEnvelope: envelope(NOTHING),
};

const PLATFORM: Readonly<Record<string, Schema>> = {
  Meta: {
    ...answer({
      code: { type: 'integer', enum: CODES, description: CODE.description as string },
      description: SENTENCE,
      request_id: {
        type: 'string',
        description: 'What the log of the server has too; the header X-Request-Id.',
      },
    }),
    description: 'How it went.',
  },
  Pagination: answer({
    page: { type: 'integer', minimum: 0 },
    per_page: { type: 'integer', minimum: 1 },
    has_more: { type: 'boolean', description: 'Whether there is another page.' },
  }),
  Refusal: {
    ...answer({
      meta: schema('Meta'),
      data: schema('RefusalDetails'),
    }),
    description: 'Nothing was done; `meta` says why.',
  },
  RefusalDetails: {
    ...answer({ errors: { type: 'array', items: schema('ItemError') } }),
    nullable: true,
    description: 'Which items of a batch are wrong; null for other refusals.',
  },
  ItemError: answer({
    index: { type: 'integer', minimum: 0, description: 'Which item, from 0.' },
    code: CODE,
    description: SENTENCE,
  }),
  Organization: { ...answer({ id: ID, name: NAME }), description: 'It owns properties.' },
  ListedOrganization: {
    ...answer({ id: ID, name: NAME, owner: OWNER }),
    description: 'An organization, with its owner.',
  },
  OrganizationUpdate: request(
    { id: ID, name: NAME, owner: READ_ONLY_OWNER },
    ['id', 'name'],
    'An organization, with its new name.',
  ),
  OrganizationCreation: request(
    {
      id: { type: 'string', nullable: true, enum: ['', null], description: 'Absent, empty or null.' },
      name: NAME,
    },
    ['name'],
    'A new organization.',
  ),
  OrganizationReference: request({ id: ID }, ['id'], 'An organization, by its id.'),
  PropertySummary: answer({ id: ID, name: NAME, sitekey: SITEKEY }),
  Property: { ...answer(PROPERTY_MEMBERS), description: 'One protected site.' },
  PropertyCreation: request(
    { name: PROPERTY_NAME, domain: DOMAIN, ...settings(true) },
    ['name', 'domain'],
    'A new property.',
  ),
  PropertyUpdate: request(
    { ...PROPERTY_MEMBERS, sitekey: READ_ONLY_SITEKEY },
    ['id'],
    'A property, and what of it is to be different.',
  ),
  PropertyCreationBatch: batchOf(schema('PropertyCreation'), 'Names differ in more than case.'),
  PropertyUpdateBatch: batchOf(schema('PropertyUpdate'), 'Each property once.'),
  PropertyDeletionBatch: batchOf(ID, 'Ids of properties, each once.'),
  TaskReference: answer({ id: TASK_ID }),
  Task: answer({
    id: TASK_ID,
    finished: { type: 'boolean' },
    result: {
      type: 'array',
      nullable: true,
      items: schema('TaskResult'),
      description: 'Null until it is finished; then an entry for each item, in the order of the request.',
    },
  }),
  TaskResult: {
    ...answer({ code: CODE, description: SENTENCE, id: ID, name: NAME, sitekey: SITEKEY }, [
      'code',
      'description',
    ]),
    description: 'How one item went. `id`, `name` and `sitekey` are there as far as they are known.',
  },
};

const VERIFICATION: Readonly<Record<string, Schema>> = {
  Verdict: {
    ...answer({
      success: { type: 'boolean' },
      code: {
        type: 'integer',
        enum: Object.values(VERDICT_CODES),
        description: 'A code of the table in the introduction.',
      },
      timestamp: { type: 'string', format: 'date-time', description: 'When it was verified, in UTC.' },
      origin: {
        type: 'string',
        description: 'The host of the page that fetched the puzzle; "" where it is not known.',
      },
    }),
    description:
      'Accept a form if `success` is true; require `code` 0 as well to reject permitted repeats (8) and solutions during maintenance (9).',
  },
  SiteverifyRequest: {
    type: 'object',
    description: 'What reCAPTCHA takes; anything else is not looked at.',
    properties: {
      secret: { type: 'string', description: 'A key of scope `verify`, unless it is in X-API-Key.' },
      response: { type: 'string', description: 'What the hidden field of the form held.' },
      sitekey: { type: 'string', description: 'The sitekey that the form has.' },
      remoteip: { type: 'string', description: 'Not looked at.' },
    },
  },
  SiteverifyAnswer: answer(
    {
      success: { type: 'boolean' },
      challenge_ts: {
        type: 'string',
        format: 'date-time',
        description: 'When the puzzle was issued, where that is known.',
      },
      hostname: {
        type: 'string',
        description: 'The host of the page that fetched the puzzle; "" where it is not known.',
      },
      'error-codes': {
        type: 'array',
        items: {
          type: 'string',
          enum: [
            ...Object.keys(VERDICT_CODES).filter((name) => name !== 'no-error'),
            ...['missing-input-secret', 'invalid-input-secret', 'missing-input-response', 'bad-request'],
          ],
        },
      },
      score: {
        type: 'number',
        minimum: 0,
        maximum: 1,
        description: 'Only for X-Captcha-Compat-Version: rcV3.',
      },
      action: { type: 'string', description: 'Only for X-Captcha-Compat-Version: rcV3; empty.' },
    },
    ['success', 'hostname', 'error-codes'],
  ),
};

const OPERATION: Readonly<Record<string, Schema>> = {
  Liveness: answer({ status: { type: 'string', enum: ['ok'] } }),
  Readiness: answer({
    status: { type: 'string', enum: ['ok', 'unavailable'] },
    troubles: { type: 'array', items: { type: 'string' }, description: 'What is wrong, by name.' },
  }),
};

/** All of them, by name. */
export const SCHEMAS: Readonly<Record<string, Schema>> = {
  ...PLATFORM,
  ...STATISTICS_SCHEMAS,
  ...ENVELOPES,
  ...VERIFICATION,
  ...OPERATION,
};
