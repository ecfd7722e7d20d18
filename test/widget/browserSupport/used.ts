/** The syntax and the built-in functions that the shipped scripts use, as paths in MDN's browser-compat-data. */
import bcd from '@mdn/browser-compat-data' with { type: 'json' };
import { type Node, parse } from 'acorn';

/** The newest version of ECMAScript that the widget may use. */
export const LANGUAGE_LEVEL = 2020;

type AnyNode = Node & Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is AnyNode =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

/** @throws if the script is not valid in this version of ECMAScript */
function nodesOf(script: string): readonly AnyNode[] {
  const nodes: AnyNode[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (isNode(value)) {
      nodes.push(value);
      Object.values(value).forEach(visit);
    }
  };
  visit(parse(script, { ecmaVersion: LANGUAGE_LEVEL }));
  return nodes;
}

const operators = 'javascript.operators';
/** Syntax newer than ES2015, and how to recognize it. Regular expressions are not part of the grammar, but browsers differ. */
const SYNTAX: readonly (readonly [path: string, isUsed: (node: AnyNode) => boolean])[] = [
  [`${operators}.exponentiation`, ({ operator }) => operator === '**'],
  ['javascript.statements.async_function', ({ async, type }) => async === true && /Function/.test(type)],
  ['javascript.statements.for_await...of', ({ await: isAsync }) => isAsync === true],
  [
    `${operators}.spread.spread_in_object_literals`,
    ({ type, properties }) => type === 'ObjectExpression' && hasType(properties, 'SpreadElement'),
  ],
  [
    `${operators}.destructuring.rest_in_objects`,
    ({ type, properties }) => type === 'ObjectPattern' && hasType(properties, 'RestElement'),
  ],
  [
    'javascript.statements.try_catch.optional_catch_binding',
    ({ type, param }) => type === 'CatchClause' && param === null,
  ],
  [`${operators}.optional_chaining`, ({ type }) => type === 'ChainExpression'],
  [`${operators}.nullish_coalescing`, ({ operator }) => operator === '??'],
  [`${operators}.import`, ({ type }) => type === 'ImportExpression'],
  ['javascript.builtins.BigInt', ({ bigint }) => bigint !== undefined],
  ['javascript.regular_expressions.lookbehind_assertion', ({ regex }) => /\(\?<[=!]/.test(patternOf(regex))],
  ['javascript.regular_expressions.named_capturing_group', ({ regex }) => /\(\?<\w/.test(patternOf(regex))],
  [
    'javascript.regular_expressions.unicode_character_class_escape',
    ({ regex }) => /\\p\{/.test(patternOf(regex)),
  ],
];

const hasType = (list: unknown, type: string) =>
  Array.isArray(list) && list.some((one) => isNode(one) && one.type === type);
const patternOf = (regex: unknown) => (regex as { readonly pattern: string } | undefined)?.pattern ?? '';

/** Names that need nothing: a method of `console`, and a function that `src/lib/bytes.ts` uses only if it exists. */
const NOT_NEEDED = ['error', 'toBase64'];

/** Functions of built-in objects by their name. Those of the prototype lack the suffix `_static`. */
const METHODS = new Map<string, string[]>();
for (const [owner, members] of Object.entries(bcd.javascript.builtins ?? {}))
  for (const name of Object.keys(members ?? {})) {
    if (name === owner || NOT_NEEDED.includes(name)) continue;
    const paths = METHODS.get(name) ?? [];
    METHODS.set(name, [...paths, `javascript.builtins.${owner}.${name}`]);
  }

/**
 * Returns what a script uses. Each entry is a list of paths of which at least one is used, because the type of an object is not known:
 * `x.includes()` may be a call for an array or for a string.
 *
 * @throws if the script is not valid in the oldest supported version of ECMAScript
 */
export function usedBy(script: string): readonly (readonly string[])[] {
  const used = new Map<string, readonly string[]>();
  for (const node of nodesOf(script)) {
    for (const [path, isUsed] of SYNTAX) if (isUsed(node)) used.set(path, [path]);
    const { type, object, property, computed } = node;
    if (type !== 'MemberExpression' || computed === true || !isNode(property)) continue;
    const name = String(property.name);
    const owner = isNode(object) && object.type === 'Identifier' ? String(object.name) : '';
    const ownPath = `javascript.builtins.${owner}.${name}_static`;
    const paths = METHODS.get(`${name}_static`)?.includes(ownPath) ? [ownPath] : METHODS.get(name);
    if (paths !== undefined) used.set(paths.join(), paths);
  }
  return [...used.values()];
}
