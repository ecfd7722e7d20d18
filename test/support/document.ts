import { Ajv } from 'ajv';
import formats from 'ajv-formats';

/** The OpenAPI document, and checks of values against its schemas. */

export type Schema = Readonly<Record<string, unknown>>;
export type Media = {
  readonly schema: Schema;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
};
export type Content = Readonly<Record<string, Media>>;
type Header = { readonly required: boolean; readonly schema: Schema };
export type Answer = {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>;
  readonly content?: Content;
};
type Parameter = {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
  readonly example?: unknown;
};
export type Operation = {
  readonly operationId: string;
  readonly security: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, Answer>>;
};
export type Document = {
  readonly openapi: string;
  readonly info: { readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly headers: Readonly<Record<string, Header>>;
  };
};

export type Placed = { readonly path: string; readonly method: string; readonly operation: Operation };

export async function documentOf({ url }: { readonly url: string }): Promise<Document> {
  return (await (await fetch(`${url}/swagger/json`)).json()) as Document;
}

/** All operations with their path and method, by id. */
export function operationsOf({ paths }: Document): ReadonlyMap<string, Placed> {
  const placed = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  return new Map(placed.map((one) => [one.operation.operationId, one]));
}

export type Judge = ReturnType<typeof createJudge>;

/**
 * Checks values and responses against the schemas of the document. Responses must not have additional members, even though
 * the schemas allow them.
 */
export function createJudge({ components }: Document) {
  const ajv = new Ajv({ strict: false, allErrors: true });
  formats.default(ajv);
  const strict = { schemas: closed(components.schemas), headers: components.headers };
  const compiled = new Map<string, ReturnType<typeof ajv.compile>>();

  function valueFaults(schema: Schema, value: unknown): readonly string[] {
    const key = JSON.stringify(schema);
    const validate = compiled.get(key) ?? ajv.compile({ ...schema, components: strict });
    compiled.set(key, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message, params }) =>
      [instancePath, message, JSON.stringify(params)].join(' '),
    );
  }

  function headerFaults(answer: Answer, headers: Headers): readonly string[] {
    return Object.entries(answer.headers ?? {}).flatMap(([name, { $ref }]) => {
      const component = components.headers[$ref.split('/').at(-1) ?? ''];
      if (component === undefined) return [`${$ref} does not exist`];
      const text = headers.get(name);
      if (text === null) return component.required ? [`${name} is missing`] : [];
      const value = component.schema.type === 'integer' ? Number(text) : text;
      return valueFaults(component.schema, value).map((fault) => `${name}: ${fault}`);
    });
  }

  return {
    valueFaults,
    /** Checks the status, headers, content type, and body of a response. @returns the errors */
    async answerFaults(operation: Operation, response: Response): Promise<readonly string[]> {
      const answer = operation.responses[response.status];
      const text = await response.clone().text();
      if (answer === undefined) return [`status ${response.status} is not in the document: ${text}`];
      const faults = headerFaults(answer, response.headers);
      const type = (response.headers.get('content-type') ?? '').split(';')[0] ?? '';
      const media = answer.content?.[type];
      if (answer.content === undefined) return text === '' ? faults : [...faults, `there is a body: ${text}`];
      if (media === undefined) return [...faults, `content type ${type} is not in the document`];
      const body = type === 'application/json' ? JSON.parse(text) : text;
      return [...faults, ...valueFaults(media.schema, body), ...unknownProblem(media, body)];
    },
  };
}

type Envelope = { readonly meta?: { readonly code: number; readonly description: string } };

/** An error in the envelope must be one of the examples. Its description may end with a detail. */
function unknownProblem({ examples = {} }: Media, body: unknown): readonly string[] {
  const { meta } = body as Envelope;
  if (meta === undefined) return [];
  const documented = Object.values(examples).map(({ value }) => (value as Envelope).meta);
  const isDocumented = documented.some(
    (one) => one?.code === meta.code && meta.description.startsWith(one.description.slice(0, -1)),
  );
  return isDocumented ? [] : [`no example is ${meta.code} ${meta.description}`];
}

/** @returns the schemas without additional members in objects */
function closed<T>(value: T): T {
  if (Array.isArray(value)) return value.map(closed) as T;
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, closed(member)]));
  const isObject = copy.type === 'object' && 'properties' in copy;
  return (isObject ? { additionalProperties: false, ...copy } : copy) as T;
}
