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
export type DocumentedResponse = {
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
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
};
type Reference = { readonly $ref: string };
type WrittenOperation = Omit<Operation, 'responses' | 'requestBody'> & {
  readonly responses: Readonly<Record<string, DocumentedResponse | Reference>>;
  readonly requestBody?: Operation['requestBody'] | Reference;
};
export type Document = {
  readonly openapi: string;
  readonly info: { readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, WrittenOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly responses: Readonly<Record<string, DocumentedResponse>>;
    readonly requestBodies: Readonly<Record<string, NonNullable<Operation['requestBody']>>>;
  };
};

export type Placed = { readonly path: string; readonly method: string; readonly operation: Operation };

export async function documentOf({ url }: { readonly url: string }): Promise<Document> {
  return (await (await fetch(`${url}/swagger/json`)).json()) as Document;
}

/** All operations with their path and method, by id. Responses and bodies of the components replace the references to them. */
export function operationsOf({ paths, components }: Document): ReadonlyMap<string, Placed> {
  const resolve = <T extends object>(of: Readonly<Record<string, T>>, written: T | Reference) =>
    '$ref' in written ? of[written.$ref.split('/').at(-1) ?? ''] : written;
  const placed = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { responses, requestBody, ...operation }]) => {
      const found = Object.entries(responses).map(([status, one]) => [
        status,
        resolve(components.responses, one),
      ]);
      const body = requestBody && resolve(components.requestBodies, requestBody);
      const resolved = {
        ...operation,
        ...(body && { requestBody: body }),
        responses: Object.fromEntries(found),
      };
      return { path, method: method.toUpperCase(), operation: resolved };
    }),
  );
  return new Map(placed.map((one) => [one.operation.operationId, one]));
}

export type Validator = ReturnType<typeof createValidator>;

/**
 * Checks values and responses against the schemas of the document. Responses must not have additional members, even though
 * the schemas allow them.
 */
export function createValidator({ components }: Document) {
  const ajv = new Ajv({ strict: false, allErrors: true });
  formats.default(ajv);
  const strict = { schemas: closed(components.schemas), headers: components.headers };
  const compiled = new Map<string, ReturnType<typeof ajv.compile>>();

  function errorsOfValue(schema: Schema, value: unknown): readonly string[] {
    const key = JSON.stringify(schema);
    const validate = compiled.get(key) ?? ajv.compile({ ...schema, components: strict });
    compiled.set(key, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message, params }) =>
      [instancePath, message, JSON.stringify(params)].join(' '),
    );
  }

  function errorsOfHeaders(documented: DocumentedResponse, headers: Headers): readonly string[] {
    return Object.entries(documented.headers ?? {}).flatMap(([name, { $ref }]) => {
      const component = components.headers[$ref.split('/').at(-1) ?? ''];
      if (component === undefined) return [`${$ref} does not exist`];
      const text = headers.get(name);
      if (text === null) return component.required ? [`${name} is missing`] : [];
      const value = component.schema.type === 'integer' ? Number(text) : text;
      return errorsOfValue(component.schema, value).map((error) => `${name}: ${error}`);
    });
  }

  return {
    errorsOfValue,
    /** Checks the status, headers, content type, and body of a response. @returns the errors */
    async errorsOfResponse(operation: Operation, response: Response): Promise<readonly string[]> {
      const documented = operation.responses[response.status];
      const text = await response.clone().text();
      if (documented === undefined) return [`status ${response.status} is not in the document: ${text}`];
      const errors = errorsOfHeaders(documented, response.headers);
      const type = (response.headers.get('content-type') ?? '').split(';')[0] ?? '';
      const media = documented.content?.[type];
      if (documented.content === undefined)
        return text === '' ? errors : [...errors, `there is a body: ${text}`];
      if (media === undefined) return [...errors, `content type ${type} is not in the document`];
      const body = type === 'application/json' ? JSON.parse(text) : text;
      return [...errors, ...errorsOfValue(media.schema, body), ...undocumentedProblem(documented, body)];
    },
  };
}

type Envelope = { readonly meta?: { readonly code: number; readonly description: string } };

/** The description of an error response must list the problem. The message may end with a detail. */
function undocumentedProblem({ description }: DocumentedResponse, body: unknown): readonly string[] {
  const { meta } = body as Envelope;
  if (meta === undefined || meta.code === 1000) return [];
  const listed = [...description.matchAll(/^- (\d+) `[a-z-]+`: (.+)\.$/gm)];
  const isListed = listed.some(
    ([, code, sentence = '']) => Number(code) === meta.code && meta.description.startsWith(sentence),
  );
  return isListed ? [] : [`${meta.code} ${meta.description} is not listed`];
}

/** @returns the schemas without additional members in objects */
function closed<T>(value: T): T {
  if (Array.isArray(value)) return value.map(closed) as T;
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, closed(member)]));
  const isObject = copy.type === 'object' && 'properties' in copy;
  return (isObject ? { additionalProperties: false, ...copy } : copy) as T;
}
