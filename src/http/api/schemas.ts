import { PROBLEMS } from '../../model/problems.ts';
import { OK_CODE } from '../envelope.ts';
import { EXAMPLE_REQUEST_ID, type Schema, schema } from '../operationDocs.ts';

/** Creates the schemas of the document from the tables of fields, and defines the schemas that all operations share. */

/** Schemas by name. Generators create types with the names of the components. */
export type Members = Readonly<Record<string, Schema>>;

/** The parts of a field (`model/field.ts`) that its schema depends on. */
type DescribedField = {
  readonly name: string;
  readonly kind?: 'text' | 'number' | 'choice' | 'boolean';
  readonly help?: string;
  readonly isWhole?: boolean;
  readonly min?: number;
  readonly max?: number;
  readonly choices?: readonly (string | number)[];
  readonly default?: unknown;
  /** The problem if the field is missing. */
  readonly missing?: string;
  /** Replaces all of the above if the value is not a string, a number, or a Boolean. */
  readonly schema?: Schema;
};

type DescribedFields = Readonly<Record<string, DescribedField>>;

/** A text. */
export const text = (description: string): Schema => ({ type: 'string', description });

/** A whole number from 0. */
export function count(description?: string): Schema {
  return { type: 'integer', minimum: 0, ...(description && { description }) };
}

/** An instant, such as `2026-01-31T12:00:00.000Z`. */
export const time = (description: string): Schema => ({ type: 'string', format: 'date-time', description });

/** @returns the schema of the values of a field @param description empty for none */
export function schemaOf(field: DescribedField, description = field.help): Schema {
  if (field.schema !== undefined) return field.schema;
  return { ...typeOf(field), ...(description && { description }) };
}

function typeOf({ kind = 'text', isWhole, min, max, choices = [] }: DescribedField): Schema {
  if (kind === 'boolean') return { type: 'boolean' };
  if (kind === 'choice') {
    return { type: typeof choices[0] === 'number' ? 'integer' : 'string', enum: [...choices] };
  }
  if (kind === 'text') return { type: 'string' };
  const range = { ...(min !== undefined && { minimum: min }), ...(max !== undefined && { maximum: max }) };
  return { type: isWhole ? 'integer' : 'number', ...range };
}

/** @returns the schemas of fields by their names */
export function membersOf(fields: DescribedFields): Members {
  return Object.fromEntries(Object.values(fields).map((field) => [field.name, schemaOf(field)]));
}

/**
 * Adds the defaults to the descriptions of optional fields. The schemas have no `default`, because generators would make the members
 * required.
 */
export function withDefaults<Fields extends DescribedFields>(fields: Fields): DescribedFields {
  const noted = Object.entries(fields).map(([key, field]) => {
    const note = field.default === undefined ? '' : ` Default: ${JSON.stringify(field.default)}.`;
    return [key, { ...field, help: `${field.help ?? ''}${note}` }];
  });
  return Object.fromEntries(noted);
}

/** An object in a request with these fields. Other members are rejected. */
export function request(fields: DescribedFields, description: string): Schema {
  const required = Object.values(fields)
    .filter(({ missing }) => missing !== undefined)
    .map(({ name }) => name);
  const properties = membersOf(fields);
  return {
    type: 'object',
    description,
    ...(required.length > 0 && { required }),
    properties,
    additionalProperties: false,
  };
}

/** An object in a response. Later versions may add members. */
export function response(
  properties: Members,
  description?: string,
  required: string[] = Object.keys(properties),
): Schema {
  const described = description && { description };
  // OpenAPI 3.0 does not allow an empty list.
  return { type: 'object', ...described, ...(required.length > 0 && { required }), properties };
}

/** The envelope of a success response. */
export function envelope(data: Schema, isList = false): Schema {
  const pagination = isList ? { pagination: schema('Pagination') } : {};
  return response({ meta: schema('Meta'), data, ...pagination });
}

/** The opaque id of an object. */
export const ID = text('An opaque id of this installation.');
const CODE_DESCRIPTION = 'A code from the tables in the introduction.';
/** A code of an envelope, an item, or a verdict. */
export const CODE: Schema = { type: 'integer', description: CODE_DESCRIPTION };
/** The sentence that belongs to a code. */
export const SENTENCE = text('The meaning of the code in a sentence.');

const CODES = [...new Set([OK_CODE, ...Object.values(PROBLEMS).map(({ code }) => code)])].sort(
  (a, b) => a - b,
);

const NOTHING: Schema = { type: 'object', nullable: true, enum: [null], description: 'Always null.' };

const { code, sentence: description } = PROBLEMS['organization-unknown'];
const NOT_FOUND = { code, description };

/** The schemas of all envelopes. */
export const ENVELOPE_SCHEMAS: Members = {
  Meta: response(
    {
      code: { ...CODE, enum: CODES },
      description: SENTENCE,
      request_id: text('The request id, also in the header X-Request-Id and in the log of the server.'),
    },
    'The result of the request.',
  ),
  Pagination: response({
    page: count(),
    per_page: { type: 'integer', minimum: 1 },
    has_more: { type: 'boolean', description: 'Whether there is another page.' },
  }),
  EmptyEnvelope: envelope(NOTHING),
  ErrorEnvelope: {
    ...response(
      { meta: schema('Meta'), data: schema('ErrorDetails') },
      'The request was rejected and changed nothing. `meta` contains the reason.',
    ),
    example: { meta: { ...NOT_FOUND, request_id: EXAMPLE_REQUEST_ID }, data: null },
  },
  ErrorDetails: {
    ...response({ errors: { type: 'array', items: schema('ItemError') } }),
    nullable: true,
    description: 'The invalid items of a batch; null for other errors.',
  },
  ItemError: response({
    index: count('The position of the item, from 0.'),
    code: CODE,
    description: SENTENCE,
  }),
};
