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
};

/** One protected place. */
export type Property = PropertySettings & {
  readonly id: PropertyId;
  readonly organizationId: OrganizationId;
  readonly name: string;
  /** Lower-case ASCII (punycode), without a trailing dot. */
  readonly domain: string;
  readonly sitekey: Sitekey;
  readonly isEnabled: boolean;
  readonly createdAt: Instant;
};

export const DEFAULT_SETTINGS: PropertySettings = {
  level: 128,
  growth: 'medium',
  validitySeconds: 1800,
  allowsSubdomains: false,
  allowsLocalhost: false,
  allowance: 1,
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

/** Reads a sitekey in any case, with or without the dashes of a UUID. */
export function parseSitekey(text: string): Outcome<Sitekey, 'sitekey-malformed'> {
  if (CANONICAL_SITEKEY.test(text)) return done(text as Sitekey);
  const lower = text.toLowerCase();
  if (CANONICAL_SITEKEY.test(lower)) return done(lower as Sitekey);
  if (UUID_SITEKEY.test(lower)) return done(lower.replaceAll('-', '') as Sitekey);
  return refuse('sitekey-malformed');
}

/** @see parseName */
export function parsePropertyName(text: string): Outcome<string, NameProblem<'property'>> {
  return parseName('property', text);
}

/** @returns the value itself, or refused when it is no integer within the setting's range */
export function parseIntegerSetting(
  setting: keyof typeof SETTING_RANGES,
  value: number,
): Outcome<number, 'setting-out-of-range'> {
  const { min, max } = SETTING_RANGES[setting];
  return Number.isInteger(value) && value >= min && value <= max
    ? done(value)
    : refuse('setting-out-of-range');
}

/** @returns refused for anything but the four growths */
export function parseGrowth(text: string): Outcome<Growth, 'growth-unknown'> {
  const growth = GROWTHS.find((known) => known === text);
  return growth === undefined ? refuse('growth-unknown') : done(growth);
}
