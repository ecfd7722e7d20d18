import type { ParsedRules, RuleDraft } from './rule.ts';

/** How rules are given. */
export type ParseOptions = {
  /**
   * Whether a condition can also be one text. Networks, countries, and ASNs are separated by commas, spaces, or line breaks; user
   * agents, headers, and paths are on separate lines.
   */
  readonly acceptsText?: boolean;
};

/** A rule in the format of the API and of files. */
export type WireRule = {
  readonly id?: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly dry_run: boolean;
  readonly action: string;
  /** Only with the action `adjust`. */
  readonly levels?: number;
  /** Only with the action `set`. */
  readonly level?: number;
  readonly conditions: {
    readonly networks?: readonly string[];
    readonly user_agents?: readonly string[];
    readonly headers?: readonly string[];
    readonly countries?: readonly string[];
    readonly asns?: readonly number[];
    readonly paths?: readonly string[];
  };
};

/** Parses rules in the format of the API. @param value any JSON value */
export declare function parseRules(value: unknown, options?: ParseOptions): ParsedRules;

/** Converts a rule to the format of the API. */
export declare function toWireRule(rule: RuleDraft): WireRule;
