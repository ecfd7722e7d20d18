import { done, type Outcome } from '../../lib/outcome.ts';
import type { Clock } from '../../lib/time.ts';
import type { Actor } from '../../model/actor.ts';
import type { ApiKeyId } from '../../model/apiKey.ts';
import { type PeriodProblem, periodOf, type RangeChoice } from '../../model/period.ts';
import type { Scope, StatisticsStore } from '../../model/ports/statistics.ts';
import type { RuleId, RuleScope } from '../../model/rules/rule.ts';
import { type Counts, KEY_COUNTER, RULE_COUNTER } from '../../model/statistics.ts';
import type { ApiKeys } from '../apiKeys/apiKeys.ts';
import { type PeriodReport, readSteps, toPeriodReport } from '../properties/periodReport.ts';
import type { RuleAccessProblem, Rules } from '../rules/rules.ts';
import { createReadHours } from './lastDay.ts';

/** The requests of an API key by outcome. */
export type KeyUse = Readonly<Record<keyof typeof KEY_COUNTER, number>>;

/** The hits of a rule. */
export type RuleUse = Readonly<Record<keyof typeof RULE_COUNTER, number>>;

/** The counts of the last 24 hours: the current hour and the 23 before. */
export type UseOfDay = {
  readonly total: number;
  /** By hour, oldest first. */
  readonly series: readonly number[];
};

/** Use cases that show how often API keys are used, and how often rules match. */
export type UseOverTime = ReturnType<typeof createUseOverTime>;

/** @see UseOverTime */
export function createUseOverTime(deps: {
  readonly store: Pick<StatisticsStore, 'byHour' | 'byDay' | 'byHourOf'>;
  readonly apiKeys: Pick<ApiKeys, 'byId'>;
  readonly rules: Pick<Rules, 'list'>;
  readonly clock: Clock;
}) {
  const readHours = createReadHours(deps.store, deps.clock);

  async function report<Use extends object>(
    scope: Scope,
    toUse: (counts: Counts) => Use,
    range: RangeChoice,
  ): Promise<Outcome<PeriodReport<Use>, PeriodProblem>> {
    const period = periodOf(range, deps.clock());
    if (!period.ok) return period;
    return done(toPeriodReport(period.value, await readSteps(deps.store, period.value, scope), toUse));
  }

  /** Reads 24 lookups for each scope, in their order. */
  async function lastDays(scopes: readonly Scope[]): Promise<readonly UseOfDay[]> {
    const found = await readHours(scopes, totalOf);
    return found.map(({ series }) => ({ total: totalOf(series), series }));
  }

  return {
    /** Returns the requests of a key for everyone who can see the key. */
    async ofKey(
      actor: Actor,
      id: ApiKeyId,
      range: RangeChoice,
    ): Promise<Outcome<PeriodReport<KeyUse>, 'key-unknown' | PeriodProblem>> {
      const key = await deps.apiKeys.byId(actor, id);
      return key.ok ? report({ key: id }, toKeyUse, range) : key;
    },
    /** Returns the hits of a rule for everyone who can see the rule. */
    async ofRule(
      actor: Actor,
      scope: RuleScope,
      id: RuleId,
      range: RangeChoice,
    ): Promise<Outcome<PeriodReport<RuleUse>, RuleAccessProblem | 'rule-unknown' | PeriodProblem>> {
      const list = await deps.rules.list(actor, scope);
      if (!list.ok) return list;
      if (!list.value.rules.some((rule) => rule.id === id)) return { ok: false, problem: 'rule-unknown' };
      return report({ rule: id }, toRuleUse, range);
    },
    /** The requests of several keys, in their order. Does not check access, because the caller has already loaded the keys. */
    lastDaysOfKeys: (ids: readonly ApiKeyId[]) => lastDays(ids.map((key) => ({ key }))),
    /** The hits of several rules, like `lastDaysOfKeys`. */
    lastDaysOfRules: (ids: readonly RuleId[]) => lastDays(ids.map((rule) => ({ rule }))),
  };
}

function toKeyUse(counts: Counts): KeyUse {
  const { accepted, rejected, limited } = KEY_COUNTER;
  return {
    accepted: counts[accepted] ?? 0,
    rejected: counts[rejected] ?? 0,
    limited: counts[limited] ?? 0,
  };
}

function toRuleUse(counts: Counts): RuleUse {
  return { hits: counts[RULE_COUNTER.hits] ?? 0 };
}

function totalOf(counts: Counts): number {
  return Array.from(counts).reduce((sum, count) => sum + count, 0);
}
