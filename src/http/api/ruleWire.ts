import { done } from '../../lib/outcome.ts';
import type { RuleTestRequest } from '../../model/rules/evaluation.ts';
import { RULE_PROBLEMS, type RuleError } from '../../model/rules/rule.ts';
import { pathOfError } from '../../model/rules/ruleDocument.ts';
import { createParseObject, type Parsed } from './jsonObject.ts';
import type { OperationResult } from './operation.ts';

/** Errors of rules and requests for the tester as JSON. */

/** The response to rules with errors. `data.errors` lists them with their positions. */
export function toWireErrors(errors: readonly RuleError[]): Extract<OperationResult, { ok: false }> {
  const [first] = errors;
  const data = { errors: errors.map(toWireError) };
  if (first === undefined) return { ok: false, problem: 'rules-invalid', data };
  const path = pathOfError(first);
  const sentence = RULE_PROBLEMS[first.problem].slice(0, -1);
  return {
    ok: false,
    problem: 'rules-invalid',
    detail: path === '' ? sentence : `${path}: ${sentence}`,
    data,
  };
}

function toWireError(error: RuleError) {
  const { problem, rule, member, entry, offset } = error;
  return {
    problem,
    description: RULE_PROBLEMS[problem],
    path: pathOfError(error),
    ...(rule === undefined ? {} : { index: rule }),
    ...(member === undefined ? {} : { member }),
    ...(entry === undefined ? {} : { entry }),
    ...(offset === undefined ? {} : { offset }),
  };
}

const TEXT_MAX_LENGTH = 8192;
const HEADERS_MAX = 64;

const text = (name: string) => ({ name, parse: done<unknown> });
const parseMembers = createParseObject({
  address: text('address'),
  userAgent: text('user_agent'),
  headers: text('headers'),
  country: text('country'),
  asn: text('asn'),
  path: text('path'),
});

/** Parses a request for the tester. Every member is optional. */
export function parseRuleTest(body: unknown): Parsed<RuleTestRequest> {
  const given = parseMembers(body);
  if (!given.ok) return given;
  const { address, userAgent, headers = {}, country, asn, path } = given.value;
  const texts = Object.entries({ address, user_agent: userAgent, path });
  const long = texts.find(([, value]) => value !== undefined && !isText(value));
  if (long !== undefined)
    return mistyped(`${long[0]} must be a string of at most ${TEXT_MAX_LENGTH} characters`);
  if (!isHeaders(headers)) return mistyped(`headers must be an object of at most ${HEADERS_MAX} strings`);
  if (country !== undefined && !isCountry(country)) return mistyped('country must be a two-letter code');
  if (asn !== undefined && !isAsn(asn)) return mistyped('asn must be a whole number from 1 to 4294967294');
  const code = country?.toUpperCase();
  return done({ ...parsedTexts({ address, userAgent, path }), headers, country: code, asn });
}

function parsedTexts(values: Readonly<Record<'address' | 'userAgent' | 'path', unknown>>) {
  const { address, userAgent, path } = values;
  return {
    ...(isText(address) && { address }),
    ...(isText(userAgent) && { userAgent }),
    ...(isText(path) && { path }),
  };
}

function isCountry(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z]{2}$/.test(value);
}

function mistyped(detail: string): Parsed<never> {
  return { ok: false, problem: 'field-mistyped', detail };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= TEXT_MAX_LENGTH;
}

function isAsn(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 4_294_967_294;
}

function isHeaders(value: unknown): value is Readonly<Record<string, string>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const values = Object.values(value);
  return values.length <= HEADERS_MAX && values.every(isText);
}
