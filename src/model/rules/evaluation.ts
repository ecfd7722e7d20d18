import type { Growth } from '../propertyFields.ts';
import type { Downgrade, Rule, RuleAction } from './rule.ts';

/** A request for a puzzle whose result a user wants to know. Absent members are missing in the request. */
export type RuleTestRequest = {
  /** The client address, IPv4 or IPv6. */
  readonly address?: string | undefined;
  readonly userAgent?: string | undefined;
  /** Names in any case. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Replaces the country that the GeoIP file has for the address. */
  readonly country?: string | undefined;
  /** Replaces the ASN that the GeoIP file has for the address. */
  readonly asn?: number | undefined;
  /** The path of the page. */
  readonly path?: string | undefined;
  /** The kind of work from which the puzzle is downgraded. */
  readonly downgrade?: Downgrade | undefined;
};

/** A rule that matches, enabled or in dry-run mode. */
export type MatchedRule = {
  readonly scope: 'installation' | 'property';
  /** Index in its list. */
  readonly index: number;
  /** Undefined if the actor may not see it: a rule of the installation, for users who are not administrators. */
  readonly rule: Rule | undefined;
  /**
   * `effective`: it decides. `dry-run`: it is counted, and the evaluation continues. `not-reached`: an earlier rule decides, so it is
   * not counted.
   */
  readonly role: 'effective' | 'dry-run' | 'not-reached';
};

/** The result of a test. */
export type RuleTest = {
  /** The values that the rules were compared with; undefined if they are unknown. */
  readonly country: string | undefined;
  readonly asn: number | undefined;
  /** All enabled rules that match, in the order of evaluation. */
  readonly matches: readonly MatchedRule[];
  /** The action of the first effective rule; undefined if no rule decides. */
  readonly action: RuleAction | undefined;
  /** Undefined if the request is blocked, or if the scope is the installation, whose properties have different levels. */
  readonly puzzle:
    | {
        /** The level of the property after the rule. */
        readonly level: number;
        readonly growth: Growth;
        /** The difficulty for a new client at the current load of the property. */
        readonly difficulty: number;
      }
    | undefined;
};
