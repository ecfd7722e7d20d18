import { LRUCache } from 'lru-cache';
import type { RuleScope } from '../../model/rules/rule.ts';
import { rulesFromJson } from '../../model/rules/rulesJson.ts';
import { type CompiledRules, compileRules } from './compileRules.ts';

/** Characters of JSON of all compiled lists in the cache; their compiled form uses about four times as much memory. */
const MAX_CHARACTERS = 8 * 1024 ** 2;

/**
 * Returns a function that compiles the rules of a scope. A list whose JSON has not changed is not compiled again, because each change of
 * any property makes the server load all properties again.
 *
 * @returns a function that returns undefined for an empty list @throws if the JSON is damaged
 */
export function createRuleCompiler(): (scope: RuleScope, json: string | null) => CompiledRules | undefined {
  const cache = new LRUCache<RuleScope, { readonly json: string; readonly compiled: CompiledRules }>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: ({ json }) => json.length,
  });
  return (scope, json) => {
    if (json === null || json === '[]') return undefined;
    const known = cache.get(scope);
    if (known?.json === json) return known.compiled;
    const compiled = compileRules(scope, rulesFromJson(json), json.length);
    cache.set(scope, { json, compiled });
    return compiled;
  };
}
