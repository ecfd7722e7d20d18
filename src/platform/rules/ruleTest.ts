import { parseAddress } from '../../lib/address.ts';
import { done, type Outcome, reject } from '../../lib/outcome.ts';
import type { Property } from '../../model/property.ts';
import type { Growth } from '../../model/propertyFields.ts';
import type { GeoipFacts } from '../../model/rules/countries.ts';
import type { MatchedRule, RuleTest, RuleTestRequest } from '../../model/rules/evaluation.ts';
import { parsePagePath } from '../../model/rules/pattern.ts';
import type { Downgrade, Rule, RuleAction } from '../../model/rules/rule.ts';

/** The parts of a request that rules depend on. */
export type TestSource = {
  readonly address: () => string | undefined;
  /** @param name in lowercase */
  readonly header: (name: string) => string | null;
  readonly path: () => string | undefined;
  readonly downgrade: Downgrade | undefined;
};

/** The evaluation of the hot path. */
export type RuleEngine = {
  /** Returns the indexes of the enabled rules that match, in order. */
  match(rules: readonly Rule[], source: TestSource, geoip: GeoipFacts): Promise<readonly number[]>;
  /** Returns what an action means for a property. */
  apply(
    action: RuleAction,
    property: Pick<Property, 'level' | 'growth'>,
  ): { readonly kind: 'block' } | { readonly kind: 'issue'; readonly level: number; readonly growth: Growth };
};

/** Returns the difficulty for a new client at the current load of a property. */
export type DifficultyOf = (property: Pick<Property, 'id' | 'level' | 'growth'>) => number;

/** The rules that a request is compared with. */
export type TestedRules = {
  readonly installation: readonly Rule[];
  /** Undefined for a test of the rules of the installation. */
  readonly property: { readonly property: Property; readonly rules: readonly Rule[] } | undefined;
  /** Whether the rules of the installation are included in the result. */
  readonly showsInstallation: boolean;
};

/** A member of the tested request that has an error. */
export type RuleTestProblem = 'address-malformed' | 'page-path-malformed';

/** Compares a request with rules without counting anything. */
export async function testRules(
  { installation, property, showsInstallation }: TestedRules,
  request: RuleTestRequest,
  deps: {
    readonly engine: RuleEngine;
    readonly findGeoip: (address: string | undefined) => GeoipFacts;
    readonly difficultyOf: DifficultyOf;
  },
): Promise<Outcome<RuleTest, RuleTestProblem>> {
  const address = request.address?.trim() || undefined;
  if (address !== undefined && parseAddress(address) === undefined) return reject('address-malformed');
  const path = request.path ? parsePagePath(request.path) : undefined;
  if (request.path && path === undefined) return reject('page-path-malformed');
  const found = deps.findGeoip(address);
  const geoip = {
    country: request.country?.toUpperCase() || found.country,
    asn: request.asn ?? found.asn,
  };
  const source = toSource(request, address, path);
  const matchesIn = async (scope: MatchedRule['scope'], rules: readonly Rule[]) => {
    const indexes = await deps.engine.match(rules, source, geoip);
    return indexes.map((index) => ({ scope, index, rule: rules[index] as Rule }));
  };
  const matching = [
    ...(await matchesIn('installation', installation)),
    ...(await matchesIn('property', property?.rules ?? [])),
  ];
  const deciding = matching.findIndex(({ rule }) => !rule.isDryRun);
  const matches = matching.map(({ rule, ...place }, order): MatchedRule => {
    const isShown = place.scope === 'property' || showsInstallation;
    return { ...place, rule: isShown ? rule : undefined, role: roleOf(order, deciding) };
  });
  const action = matching[deciding]?.rule.action;
  return done({ ...geoip, matches, action, puzzle: puzzleOf(action, property?.property, deps) });
}

/** @param deciding the index of the match that decides; -1 if none does */
function roleOf(order: number, deciding: number): MatchedRule['role'] {
  if (order === deciding) return 'effective';
  return deciding < 0 || order < deciding ? 'dry-run' : 'not-reached';
}

function toSource(
  request: RuleTestRequest,
  address: string | undefined,
  path: string | undefined,
): TestSource {
  const headers = new Map(
    Object.entries(request.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  if (request.userAgent !== undefined) headers.set('user-agent', request.userAgent);
  return {
    address: () => address,
    header: (name) => headers.get(name) ?? null,
    path: () => path,
    downgrade: request.downgrade,
  };
}

function puzzleOf(
  action: RuleAction | undefined,
  property: Property | undefined,
  { engine, difficultyOf }: { readonly engine: RuleEngine; readonly difficultyOf: DifficultyOf },
): RuleTest['puzzle'] {
  if (property === undefined) return undefined;
  const ruling =
    action === undefined ? ({ kind: 'issue', ...property } as const) : engine.apply(action, property);
  if (ruling.kind === 'block') return undefined;
  const { level, growth } = ruling;
  return { level, growth, difficulty: difficultyOf({ id: property.id, level, growth }) };
}
