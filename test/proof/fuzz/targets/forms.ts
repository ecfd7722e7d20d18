import { statisticsRoutes } from '../../../../src/http/api/statistics.ts';
import type { Bodies } from '../../../../src/http/body.ts';
import { parseForm, parseVendorForm, payloadIn } from '../../../../src/http/captcha/siteverify/form.ts';
import { parseChoice } from '../../../../src/http/demo/gallery.tsx';
import { done, reject } from '../../../../src/lib/outcome.ts';
import { parseRules } from '../../../../src/model/rules/parseRules.ts';
import { createOpaqueIds } from '../../../../src/platform/opaqueId.ts';
import { readFilter } from '../../../../src/portal/activity/auditFilter.tsx';
import { dayIn, fieldsOf, hasTypedName, pageNumberOf, readForm } from '../../../../src/portal/kit/forms.ts';
import {
  parseValidity,
  readPropertyForm,
  typedIn,
  typedOf,
} from '../../../../src/portal/properties/propertyFormData.ts';
import { typedRuleIn, wireRuleOf } from '../../../../src/portal/rules/ruleFormData.ts';
import { must, mustEqual, type Target, toBytes } from '../engine/target.ts';
import { requestOf } from './fakeRequest.ts';

/** Bodies and queries of forms. */

/** The first lines of an input are headers, and the rest is the body. */
function split(input: string, headers: number): readonly string[] {
  const parts: string[] = [];
  let rest = input;
  for (let count = 0; count < headers; count++) {
    const end = rest.indexOf('\n');
    parts.push(end < 0 ? rest : rest.slice(0, end));
    rest = end < 0 ? '' : rest.slice(end + 1);
  }
  return [...parts, rest];
}

const TYPE = 'application/x-www-form-urlencoded';
const multipart = (...fields: readonly (readonly [string, string])[]) =>
  `${fields.map(([head, value]) => `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${value}\r\n`).join('')}--b--\r\n`;
const FORM_TOKENS = [
  'secret',
  'response',
  'sitekey',
  'idempotency_key',
  '&',
  '=',
  '%',
  '+',
  '%2B',
  '{',
  '}',
  '":',
  '--b',
  '\r\n',
  'multipart/form-data; boundary=b',
  'application/json',
  'charset=utf-16',
  'Content-Disposition: form-data; name="',
  '"; filename="x"',
  '\n',
];

const siteverify: Target = {
  name: 'siteverify-form',
  kind: 'bytes',
  seeds: [
    `${TYPE}\n\nsecret=s&response=AQ%3D%3D.x.y&sitekey=k`,
    `application/json; charset=utf-8\n\n${JSON.stringify({ secret: 's', response: 'r', idempotency_key: 'i' })}`,
    `multipart/form-data; boundary=b\n\n${multipart(['name="secret"', 's'], ['name="response"', 'r'])}`,
    `${TYPE}\nkey\nAQ.x.y`,
    'text/plain\nkey\nAQ.x.y',
    '\n\n',
  ],
  tokens: FORM_TOKENS,
  share: 0.1,
  async check(input) {
    const [type = '', key, text = ''] = split(input, 2);
    const body = toBytes(text);
    const request = requestOf('/siteverify', { 'content-type': type, 'x-api-key': key });
    const form = await parseForm(body, request);
    const vendorForm = await parseVendorForm(
      body,
      request.headers.get('content-type'),
      new URLSearchParams('secret=q'),
    );
    for (const one of [form, vendorForm]) {
      if (one === undefined) continue;
      for (const field of [one.secret, one.response])
        must(field === null || typeof field === 'string', 'a field');
      must(typeof one.idempotencyKey === 'string', 'the idempotency key');
      must(!payloadIn(one.response ?? '').includes(' '), 'a payload with a space');
    }
    if (vendorForm !== undefined) {
      const { secret, response, sitekey, idempotencyKey } = vendorForm;
      const fields = { secret, response, sitekey, idempotency_key: idempotencyKey };
      const given = Object.entries(fields).filter(
        (pair): pair is [string, string] => typeof pair[1] === 'string',
      );
      const isText = given.every(([, value]) => value.isWellFormed());
      const bodies = isText
        ? [
            [TYPE, String(new URLSearchParams(given))],
            ['application/json', JSON.stringify(Object.fromEntries(given))],
          ]
        : [];
      for (const [writtenType = '', written] of bodies) {
        const again = await parseVendorForm(Buffer.from(written ?? ''), writtenType, new URLSearchParams());
        mustEqual(again, vendorForm, `the form written as ${writtenType}`);
      }
    }
    return [form, vendorForm];
  },
};

const bodiesOf = (body: Uint8Array): Bodies => {
  const bytes = async (_: Request, limit: number) =>
    body.length > limit ? reject('body-too-large' as const) : done(body);
  return { bytes, anonymous: bytes } as unknown as Bodies;
};

const ids = createOpaqueIds(new Uint8Array(32).fill(3));
const NEW_PROPERTY = new URLSearchParams(
  'name=Shop&domain=https%3A%2F%2Fwww.example.com%2Fa&level=128&growth=fast&challenge=blake2b&validity=1.5&validity_unit=hours&accept_repeated=on&max_replay_count=3&allow_subdomains=on',
);
const NEW_RULE = new URLSearchParams({
  name: 'x',
  action: 'adjust',
  levels: '+8',
  networks: '10.0.0.0/8\r\n::1',
  user_agents: '*bot*\r\ncurl',
  headers: '!dnt',
  mode: 'dry_run',
});

const portalForm: Target = {
  name: 'portal-form',
  kind: 'bytes',
  seeds: [
    `${TYPE}; charset=utf-8\n${NEW_PROPERTY}`,
    `${TYPE}\n${NEW_RULE}`,
    `${TYPE}\ntyped_name=Shop+1&page=2&day=2026-01-31&actor=x&action=keys&object=&org=${ids.seal('organization', 1 as never)}&from=2026-01-01&to=2026-02-01`,
    `multipart/form-data; boundary=b\n${multipart(['name="file"; filename="x.csv"', 'name\r\nx'], ['name="skip"', 'on'])}`,
    `multipart/form-data; boundary="b"\n${multipart(['name="a"', '1'])}`,
  ],
  tokens: [
    ...FORM_TOKENS,
    'name=',
    'domain=',
    'level=custom',
    'custom_level=',
    'validity=',
    'validity_unit=',
    'action=set',
    'level=',
    'networks=',
    '%0D%0A',
    'from=',
    'to=',
    'boundary="',
  ],
  share: 0.1,
  cost: { fixed: 60_000, perCharacter: 120 },
  async check(input) {
    const [type = '', text = ''] = split(input, 1);
    const request = requestOf('/', { 'content-type': type });
    const read = await readForm(request, bodiesOf(toBytes(text)), 'user 1', true);
    if (!('fields' in read)) {
      must(read.status === 415 || read.status === 413, `status ${read.status}`);
      return read;
    }
    const { fields, file } = read;
    const typed = typedIn(fields);
    const form = readPropertyForm(typed);
    if ('property' in form) {
      const again = readPropertyForm(typedOf(form.property));
      mustEqual(again, form, 'the form with the parsed values');
    }
    const validity = parseValidity(typed);
    const rule = parseRules([wireRuleOf(typedRuleIn(fields))], { acceptsText: true });
    const filter = readFilter({ query: fields } as never, { ids } as never);
    const { from, to } = filter.filter;
    if (from !== undefined && to !== undefined && filter.errors.length === 0)
      must(from < to, 'a reversed range');
    return [
      fieldsOf(fields, ['name']),
      validity,
      rule,
      filter,
      dayIn(text),
      pageNumberOf(fields),
      hasTypedName(fields, 'Shop 1'),
      file?.length,
    ];
  },
};

let parsedRange: unknown;
const [statistics] = statisticsRoutes({
  ids,
  statistics: {
    of: async (_actor: unknown, _organization: unknown, _property: unknown, range: unknown) => {
      parsedRange = range;
      return reject('property-unknown');
    },
  } as never,
  operation: (_checks, run) => async (request) =>
    (await run({
      query: new URLSearchParams(request.url),
      params: { org_id: ids.seal('organization', 1 as never), property_id: ids.seal('property', 2 as never) },
    } as never)) as never,
});

const query: Target = {
  name: 'query',
  kind: 'text',
  seeds: [
    'range=7d',
    'from=2026-01-01&until=2026-02-01T00:00:00Z',
    'mode=popup&theme=dark&start=click&lang=de',
    'range=1y&range=7d',
    'until=2026-01-01',
  ],
  tokens: [
    '&',
    '=',
    'range=',
    'from=',
    'until=',
    '24h',
    '30d',
    'mode=',
    'theme=',
    'start=',
    'lang=',
    'auto',
    '__proto__=',
    'constructor=',
    '%',
    '+',
  ],
  maxLength: 300,
  share: 0.3,
  async check(input) {
    parsedRange = undefined;
    const result = (await statistics?.handle({ url: input } as never, {})) as
      | { readonly problem?: string }
      | undefined;
    must(result?.problem === 'query-malformed' || parsedRange !== undefined, 'neither a range nor a problem');
    const choice = parseChoice(new URLSearchParams(input), [{ tag: 'de', name: 'Deutsch' }]);
    if (choice !== undefined)
      mustEqual(
        parseChoice(new URLSearchParams(choice), [{ tag: 'de', name: '' }]),
        choice,
        'the same choice again',
      );
    return [result, parsedRange, choice];
  },
};

export const FORM_TARGETS: readonly Target[] = [siteverify, portalForm, query];
