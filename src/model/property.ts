import type { Brand } from '../lib/brand.ts';
import { done, type Outcome, refuse } from '../lib/outcome.ts';
import type { Instant } from '../lib/time.ts';
import { type NameProblem, parseName } from './name.ts';
import type { OrganizationId } from './organization.ts';

export type PropertyId = Brand<number, 'PropertyId'>;

/** The public name of a property: 32 lower-case hex digits. */
export type Sitekey = Brand<string, 'Sitekey'>;

/** How fast a property's difficulty rises under load. */
export const GROWTHS = ['constant', 'slow', 'medium', 'fast'] as const;
export type Growth = (typeof GROWTHS)[number];

/** What an owner may set, with the wire's ranges. */
export type PropertySettings = {
  /** Base difficulty, integer 1..255. */
  readonly level: number;
  readonly growth: Growth;
  /** How long a puzzle is good for, integer 60..172,800 seconds. */
  readonly validitySeconds: number;
  readonly allowsSubdomains: boolean;
  readonly allowsLocalhost: boolean;
  /** `max_replay_count` on the wire: presentations one solved puzzle is good for, integer 1..1,000,000. */
  readonly allowance: number;
  /** `enabled` on the wire: a disabled property issues no puzzles, and its solutions are rejected. */
  readonly isEnabled: boolean;
};

/** One protected place. */
export type Property = PropertySettings & {
  readonly id: PropertyId;
  readonly organizationId: OrganizationId;
  readonly name: string;
  /** Lower-case ASCII (punycode), without a trailing dot. */
  readonly domain: string;
  readonly sitekey: Sitekey;
  readonly createdAt: Instant;
};

export const DEFAULT_SETTINGS: PropertySettings = {
  level: 128,
  growth: 'medium',
  validitySeconds: 1800,
  allowsSubdomains: false,
  allowsLocalhost: false,
  allowance: 1,
  isEnabled: true,
};

/** Inclusive bounds of the integer settings. */
export const SETTING_RANGES = {
  level: { min: 1, max: 255 },
  validitySeconds: { min: 60, max: 172_800 },
  allowance: { min: 1, max: 1_000_000 },
} as const;

/** The sitekey that anybody may test with; it is no row in the database. */
export const TEST_SITEKEY = 'aaaaaaaabbbbccccddddeeeeeeeeeeee' as Sitekey;

const CANONICAL_SITEKEY = /^[0-9a-f]{32}$/;
const UUID_SITEKEY = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** With the dashes of a UUID. */
const SITEKEY_MAX_LENGTH = 36;

/** Reads a sitekey in any case, with or without the dashes of a UUID. */
export function parseSitekey(text: string): Outcome<Sitekey, 'sitekey-malformed'> {
  if (CANONICAL_SITEKEY.test(text)) return done(text as Sitekey);
  if (text.length > SITEKEY_MAX_LENGTH) return refuse('sitekey-malformed');
  const lower = text.toLowerCase();
  if (CANONICAL_SITEKEY.test(lower)) return done(lower as Sitekey);
  if (UUID_SITEKEY.test(lower)) return done(lower.replaceAll('-', '') as Sitekey);
  return refuse('sitekey-malformed');
}

/** @see parseName */
export function parsePropertyName(text: string): Outcome<string, NameProblem<'property'>> {
  return parseName('property', text);
}

const SETTING_PROBLEMS = {
  level: 'level-malformed',
  validitySeconds: 'validity-malformed',
  allowance: 'allowance-malformed',
} as const;

type IntegerSetting = keyof typeof SETTING_RANGES;

/** What may be wrong with a setting. */
export type SettingProblem =
  | (typeof SETTING_PROBLEMS)[IntegerSetting]
  | 'growth-unknown'
  | 'allow-subdomains-malformed'
  | 'allow-localhost-malformed'
  | 'enabled-malformed';

/** @returns the value itself, or refused when it is no integer within the setting's range */
export function parseIntegerSetting<Setting extends IntegerSetting>(
  setting: Setting,
  value: unknown,
): Outcome<number, (typeof SETTING_PROBLEMS)[Setting]> {
  const { min, max } = SETTING_RANGES[setting];
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
    ? done(value)
    : refuse(SETTING_PROBLEMS[setting]);
}

/** @returns refused for anything but the four growths */
export function parseGrowth(value: unknown): Outcome<Growth, 'growth-unknown'> {
  const growth = GROWTHS.find((known) => known === value);
  return growth === undefined ? refuse('growth-unknown') : done(growth);
}

/** @returns refused for anything but true and false */
export function parseAllowsSubdomains(value: unknown): Outcome<boolean, 'allow-subdomains-malformed'> {
  return typeof value === 'boolean' ? done(value) : refuse('allow-subdomains-malformed');
}

/** @returns refused for anything but true and false */
export function parseAllowsLocalhost(value: unknown): Outcome<boolean, 'allow-localhost-malformed'> {
  return typeof value === 'boolean' ? done(value) : refuse('allow-localhost-malformed');
}

/** @returns the value itself, or the problem if it is neither true nor false */
export function parseIsEnabled(value: unknown): Outcome<boolean, 'enabled-malformed'> {
  return typeof value === 'boolean' ? done(value) : refuse('enabled-malformed');
}
