import { done, type Outcome } from '../../lib/outcome.ts';
import type { Clock, Instant } from '../../lib/time.ts';
import { ACTIVITY_HOURS } from '../../model/activity.ts';
import type { Actor } from '../../model/actor.ts';
import type { ApiKeyId } from '../../model/apiKey.ts';
import { type Period, type PeriodProblem, periodOf, type RangeChoice } from '../../model/period.ts';
import type { Scope, StatisticsStore } from '../../model/ports/statistics.ts';
import type { RuleId, RuleScope } from '../../model/rules/rule.ts';
import {
  type Bucket,
  type Day,
  type Hour,
  KEY_COUNTER,
  RULE_COUNTER,
  sumOf,
  toHour,
} from '../../model/statistics.ts';
import type { ApiKeys } from '../apiKeys/apiKeys.ts';
import { readSteps, startOf } from '../properties/statistics.ts';
import type { RuleAccessProblem, Rules } from '../rules/rules.ts';

/** The requests of an API key by outcome. */
export type KeyUse = Readonly<Record<keyof typeof KEY_COUNTER, number>>;

/** The hits of a rule. */
export type RuleUse = Readonly<Record<keyof typeof RULE_COUNTER, number>>;

/** The counts of a period. The counts are a few seconds old. */
export type UseReport<Use> = Pick<Period, 'range' | 'step' | 'isUnfinished'> & {
  /** The start of the first step, UTC. */
  readonly from: Instant;
  /** The end of the last step. */
  readonly until: Instant;
  readonly totals: Use;
  /** All steps of the period, oldest first. */
  readonly series: readonly (Use & { readonly at: Instant })[];
};

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
  async function report<Name extends string>(
    scope: Scope,
    positions: Readonly<Record<Name, number>>,
    range: RangeChoice,
  ): Promise<Outcome<UseReport<Readonly<Record<Name, number>>>, PeriodProblem>> {
    const period = periodOf(range, deps.clock());
    return period.ok
      ? done(toReport(period.value, positions, await readSteps(deps.store, period.value, scope)))
      : period;
  }

  /** Reads 24 lookups for each scope, in their order. */
  async function lastDays(scopes: readonly Scope[]): Promise<readonly UseOfDay[]> {
    const until = (toHour(deps.clock()) + 1) as Hour;
    const from = (until - ACTIVITY_HOURS) as Hour;
    const found = await deps.store.byHourOf(scopes, from, until);
    return found.map(({ hours }) => {
      const series = Array.from({ length: ACTIVITY_HOURS }, () => 0);
      for (const { at, counts } of hours) series[at - from] = totalOf(counts);
      return { total: totalOf(series), series };
    });
  }

  return {
    /** Returns the requests of a key for everyone who can see the key. */
    async ofKey(
      actor: Actor,
      id: ApiKeyId,
      range: RangeChoice,
    ): Promise<Outcome<UseReport<KeyUse>, 'key-unknown' | PeriodProblem>> {
      const key = await deps.apiKeys.byId(actor, id);
      return key.ok ? report({ key: id }, KEY_COUNTER, range) : key;
    },
    /** Returns the hits of a rule for everyone who can see the rule. */
    async ofRule(
      actor: Actor,
      scope: RuleScope,
      id: RuleId,
      range: RangeChoice,
    ): Promise<Outcome<UseReport<RuleUse>, RuleAccessProblem | 'rule-unknown' | PeriodProblem>> {
      const list = await deps.rules.list(actor, scope);
      if (!list.ok) return list;
      if (!list.value.rules.some((rule) => rule.id === id)) return { ok: false, problem: 'rule-unknown' };
      return report({ rule: id }, RULE_COUNTER, range);
    },
    /** The requests of several keys, in their order. Does not check access, because the caller has already loaded the keys. */
    lastDaysOfKeys: (ids: readonly ApiKeyId[]) => lastDays(ids.map((key) => ({ key }))),
    /** The hits of several rules, like `lastDaysOfKeys`. */
    lastDaysOfRules: (ids: readonly RuleId[]) => lastDays(ids.map((rule) => ({ rule }))),
  };
}

function totalOf(counts: ArrayLike<number>): number {
  return Array.from(counts).reduce((sum, count) => sum + count, 0);
}

function toReport<Name extends string>(
  period: Period,
  positions: Readonly<Record<Name, number>>,
  buckets: readonly Bucket<Hour | Day>[],
): UseReport<Readonly<Record<Name, number>>> {
  const { range, step, first, count, isUnfinished } = period;
  const toUse = (counts: ArrayLike<number>) =>
    Object.fromEntries(
      Object.entries<number>(positions).map(([name, position]) => [name, counts[position] ?? 0]),
    ) as Readonly<Record<Name, number>>;
  const byStep = new Map<number, ArrayLike<number>>(buckets.map(({ at, counts }) => [at, counts]));
  return {
    range,
    step,
    from: startOf(period, first),
    until: startOf(period, first + count),
    isUnfinished,
    totals: toUse(sumOf(buckets)),
    series: Array.from({ length: count }, (_, index) => ({
      at: startOf(period, first + index),
      ...toUse(byStep.get(first + index) ?? []),
    })),
  };
}
