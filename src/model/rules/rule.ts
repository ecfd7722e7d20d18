import type { Brand } from '../../lib/outcome.ts';
import type { Instant } from '../../lib/time.ts';
import type { PropertyId } from '../property.ts';
import { SETTING_FIELDS } from '../propertyFields.ts';

/** 16 lowercase hex digits. Unique within the installation; the rule keeps it, and its hits, when the list is replaced. */
export type RuleId = Brand<string, 'RuleId'>;

/** The lists of rules: one of the installation, and one of each property. */
export type RuleScope = 'installation' | PropertyId;

/** What the first matching rule does with a request for a puzzle. */
export type RuleAction =
  /** Issues a puzzle of difficulty 1, without growth. The request does not raise the difficulty of others. */
  | { readonly kind: 'allow' }
  /** Issues no puzzle. */
  | { readonly kind: 'block' }
  /** Adds levels to the property's level, -254..254. The sum is limited to 1..255; growth is added to it. 0 only ends the evaluation. */
  | { readonly kind: 'adjust'; readonly levels: number }
  /** Replaces the property's level, 1..255. Growth is added to it. */
  | { readonly kind: 'set'; readonly level: number };

export type RuleActionKind = RuleAction['kind'];

export const RULE_ACTIONS = ['allow', 'block', 'adjust', 'set'] as const satisfies readonly RuleActionKind[];

/**
 * A request matches if it meets every condition of the rule. It meets a condition if it matches at least one entry of its list. Absent
 * conditions are met; a rule has at least one condition.
 */
export type RuleConditions = {
  /** CIDR blocks or addresses, IPv4 or IPv6. */
  readonly networks?: readonly string[];
  /** Patterns for the `User-Agent` header, which is empty if it is missing. Case is ignored. */
  readonly userAgents?: readonly string[];
  /**
   * `name: pattern` for a header whose value matches, or `!name` for a missing header. Case is ignored. Entries with the same name are
   * alternatives; a request must match an entry of every name.
   */
  readonly headers?: readonly string[];
  /** ISO 3166-1 alpha-2 codes in uppercase, and XK. */
  readonly countries?: readonly string[];
  /** Numbers of autonomous systems, 1..4294967294. */
  readonly asns?: readonly number[];
  /** Patterns for the path of the page, such as `/login*`. Case matters. A request without a known path does not match. */
  readonly paths?: readonly string[];
  /** The kind of work of the property, if the client announces an older version of puzzles and therefore gets BLAKE2b. */
  readonly downgrades?: readonly Downgrade[];
};

/** The kinds of work that Postern downgrades to BLAKE2b for clients that announce an older version of puzzles. */
export const DOWNGRADES = SETTING_FIELDS.challenge.choices.filter((kind) => kind !== 'blake2b');

export type Downgrade = (typeof DOWNGRADES)[number];

/** @returns undefined for any other value */
export function downgradeOf(value: unknown): Downgrade | undefined {
  return DOWNGRADES.find((kind) => kind === value);
}

export type RuleCondition = keyof RuleConditions;

export type Rule = {
  readonly id: RuleId;
  /** 1..128 code points; need not be unique. */
  readonly name: string;
  readonly isEnabled: boolean;
  /** Whether the rule only counts its hits. The evaluation continues with the next rule. */
  readonly isDryRun: boolean;
  readonly action: RuleAction;
  readonly conditions: RuleConditions;
};

/** A parsed rule. A rule without an id is new. */
export type RuleDraft = Omit<Rule, 'id'> & { readonly id?: RuleId };

/** The rules of one scope in the order of evaluation. */
export type RuleList = {
  /** Increases by 1 with each change; 0 if the scope never had rules. */
  readonly revision: number;
  /** Undefined if the scope never had rules. */
  readonly changedAt: Instant | undefined;
  readonly rules: readonly Rule[];
};

/** How often a rule matched while it was reached. Written every few seconds. */
export type RuleHits = { readonly hits: number; readonly lastHitAt: Instant };

/** The names of the conditions in the API, in files, and on the command line, in the order in which they are checked. */
export const CONDITION_NAMES = {
  networks: 'networks',
  userAgents: 'user_agents',
  headers: 'headers',
  countries: 'countries',
  asns: 'asns',
  paths: 'paths',
  downgrades: 'downgrades',
} as const satisfies Record<RuleCondition, string>;

/** Limits of the lists of rules. The costs of evaluating and of storing them are bounded by these limits. */
export const RULE_LIMITS = {
  /** Rules of one scope. */
  rules: 100,
  /** Entries of one condition. */
  entries: {
    networks: 10_000,
    userAgents: 100,
    headers: 100,
    countries: 250,
    asns: 1000,
    paths: 100,
    downgrades: DOWNGRADES.length,
  },
  /** User agents, headers, and paths of all rules of one scope. */
  patterns: 1000,
  /** Different names of headers in all rules of one scope. */
  headerNames: 16,
  /** Characters of one entry. */
  entryLength: 256,
  /** Asterisks in one pattern. */
  wildcards: 8,
  /** Size of the list of one scope as JSON, in bytes. The compiled list needs at most about three times as much memory. */
  bytes: 256 * 1024,
  /** Size of the lists of all properties of an organization as JSON, in bytes. Applies when a list becomes longer. */
  organizationBytes: 4 * 1024 * 1024,
  /** Errors that are reported. */
  errors: 100,
} as const satisfies { readonly entries: Record<RuleCondition, number> } & Record<string, unknown>;

/** Levels of the actions `adjust` and `set`. */
export const ADJUSTMENT = { min: -254, max: 254 } as const;
export const SET_LEVEL = { min: 1, max: 255 } as const;

/** The reasons why rules are rejected; the portal translates them by their names. `{{name}}` is `RuleError.name`. */
export const RULE_PROBLEMS = {
  'rules-not-a-list': 'The rules must be an array.',
  'rules-too-many': 'A list can have at most 100 rules.',
  'rules-too-large': 'The rules of a list can have at most 256 KiB as JSON.',
  'rules-of-organization-too-large':
    'The rules of all properties of an organization can have at most 4 MiB as JSON; make the lists of other properties shorter first.',
  'patterns-too-many': 'The rules of a list can have at most 1000 user agents, headers, and paths together.',
  'header-names-too-many': 'The rules of a list can use at most 16 different headers.',
  'rule-not-an-object': 'A rule must be an object.',
  'member-unknown': 'The member {{name}} is unknown; remove it or correct its name.',
  'rule-id-malformed': 'The id of a rule must be 16 hexadecimal digits; omit it for a new rule.',
  'rule-id-repeated': 'Another rule of the list has the same id.',
  'rule-id-unknown': 'The list has no rule with this id; omit the id for a new rule.',
  'rule-name-empty': 'The rule needs a name.',
  'rule-name-too-long': 'The name of a rule can have at most 128 characters.',
  'rule-name-malformed':
    'The name of the rule contains characters that are not allowed: control characters, invisible format characters such as joiners, or angle brackets.',
  'boolean-malformed': 'The value must be true or false.',
  'action-unknown': 'The action must be allow, block, adjust, or set.',
  'levels-malformed': 'With the action adjust, levels must be a whole number from -254 to 254.',
  'levels-not-accepted': 'Only the action adjust has levels.',
  'level-malformed': 'With the action set, level must be a whole number from 1 to 255.',
  'level-not-accepted': 'Only the action set has a level.',
  'conditions-not-an-object': 'The conditions must be an object.',
  'conditions-missing': 'The rule needs a condition; the user agent * matches every request.',
  'condition-not-a-list': 'The condition must be an array.',
  'condition-empty': 'The condition needs an entry; omit the condition if it does not matter.',
  'condition-too-long': 'The condition has too many entries.',
  'entry-mistyped': 'The entry has the wrong type.',
  'entry-empty': 'The entry is empty.',
  'entry-too-long': 'An entry can have at most 256 characters.',
  'entry-repeated': 'The condition contains this entry more than once.',
  'network-malformed':
    'This is not an IP address or a CIDR block; enter a network such as 192.0.2.0/24 or 2001:db8::/32.',
  'network-has-host-bits':
    'The address has bits outside its prefix; enter the first address of the network, such as 192.0.2.0/24.',
  'pattern-malformed':
    'A pattern can contain only printable characters; write \\* for an asterisk and \\\\ for a backslash.',
  'wildcards-too-many': 'A pattern can have at most 8 asterisks.',
  'header-malformed': 'Enter a header as name: pattern, or as !name for a missing header.',
  'header-not-accepted': 'Rules cannot use this header, because it contains credentials; use another one.',
  'country-unknown': 'This is not a country code of ISO 3166-1, such as DE or US.',
  'asn-malformed':
    'An autonomous system number must be a whole number from 1 to 4294967294, such as 64496 or AS64496.',
  'path-malformed':
    'The path of a page must start with a slash or an asterisk, and must not contain a query.',
  'downgrade-unknown': 'This is not a kind of work that Postern downgrades; enter argon2id or hashwx.',
} as const;

export type RuleProblem = keyof typeof RULE_PROBLEMS;

/** The members of a rule in the API and in files. */
export const RULE_MEMBERS = [
  'id',
  'name',
  'enabled',
  'dry_run',
  'action',
  'levels',
  'level',
  'conditions',
] as const;

/** A member of a rule or of its conditions. */
export type RuleMember = (typeof RULE_MEMBERS)[number] | (typeof CONDITION_NAMES)[RuleCondition];

/** A reason why rules are rejected, and its position. */
export type RuleError = {
  readonly problem: RuleProblem;
  /** Index of the rule in the list; undefined if the error concerns the whole list. */
  readonly rule?: number;
  /** Undefined if the error concerns the whole rule. */
  readonly member?: RuleMember;
  /** The quoted name of an unknown member of the rule, or of its conditions. */
  readonly name?: string;
  /** Index of the entry in the condition. */
  readonly entry?: number;
  /**
   * Position in UTF-16 code units: in the text of the whole condition if it was given as one text, otherwise in the text of the entry.
   * Undefined if the error does not concern a text.
   */
  readonly offset?: number;
};

/** The rules, or the first errors in the order of their positions, at most RULE_LIMITS.errors. */
export type ParsedRules =
  | { readonly ok: true; readonly value: readonly RuleDraft[] }
  | { readonly ok: false; readonly errors: readonly RuleError[] };
