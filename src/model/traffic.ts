import { DAY, HOUR, type Instant } from '../lib/time.ts';
import type { OrganizationId } from './organization.ts';
import type { PropertyId } from './property.ts';

/** What the server keeps in memory about single requests: nothing, everything but the networks of visitors, or everything. */
export const TRAFFIC_DETAILS = ['off', 'without-networks', 'on'] as const;

export type TrafficDetails = (typeof TRAFFIC_DETAILS)[number];

/** Why a request for a puzzle of a known property was rejected. */
export const PUZZLE_REJECTIONS = [
  'rate-limited',
  'origin-missing',
  'origin-not-allowed',
  'origin-without-domain',
  'property-disabled',
  'rule-blocked',
  'unavailable',
] as const;

export type PuzzleRejection = (typeof PUZZLE_REJECTIONS)[number];

/** What is known about a request; undefined members are unknown. */
export type TrafficFacts = {
  /** The host of the page, lowercase ASCII. */
  readonly host?: string | undefined;
  /** A name of `browserFamilyOf`. */
  readonly browser?: string | undefined;
  /** Two uppercase letters. */
  readonly country?: string | undefined;
  /** The /24 of an IPv4 address, or the /48 of an IPv6 address. */
  readonly network?: string | undefined;
};

/** A request for a puzzle, or a rejected verification, which a backend sends, so that only the host of the page is known. */
export type TrafficEvent = TrafficFacts & {
  readonly kind: 'issued' | 'rejected' | 'verification';
  /** A `PuzzleRejection`, or the name of a verdict; empty for an issued puzzle. */
  readonly reason: string;
  readonly at: Instant;
  readonly propertyId: PropertyId;
  readonly organizationId: OrganizationId;
  /** How many requests the event stands for: more than 1 if only a sample is recorded. */
  readonly weight: number;
};

/** The values that are counted, and the member of an event that has them. */
export const DIMENSIONS = {
  networks: 'network',
  hosts: 'host',
  browsers: 'browser',
  countries: 'country',
} as const satisfies Readonly<Record<string, keyof TrafficFacts>>;

export type Dimension = keyof typeof DIMENSIONS;

export const DIMENSION_NAMES = Object.keys(DIMENSIONS) as readonly Dimension[];

/** The ranges by the length of their steps in UTC, in milliseconds. A range is the current step and the one before it. */
export const TRAFFIC_RANGES = { hour: HOUR, day: DAY } as const;

export type TrafficRange = keyof typeof TRAFFIC_RANGES;

export const TRAFFIC_RANGE_NAMES = Object.keys(TRAFFIC_RANGES) as readonly TrafficRange[];

/** @returns the range; undefined for any other text */
export function parseTrafficRange(text: string): TrafficRange | undefined {
  return TRAFFIC_RANGE_NAMES.find((name) => name === text);
}

/** A frequent value, with the least number of requests that had it. */
export type FrequentValue = {
  readonly value: string;
  readonly requests: number;
  /** The least number of these requests that were rejected. */
  readonly rejected: number;
};

/** At most 20 frequent values, the most frequent first. */
export type FrequentValues = {
  readonly items: readonly FrequentValue[];
  /** The true number of requests with a value is larger by at most this. */
  readonly maxError: number;
};

/** The recent traffic of a property or an organization, as far as this node has processed it since it started. */
export type RecentTraffic = {
  /** The start of the range. Earlier than the start of the server if the server started in the range. */
  readonly since: Instant;
  /** All requests for puzzles in the range; the sum of the weights. */
  readonly requests: number;
  readonly top: Readonly<Record<Dimension, FrequentValues>>;
  /** The newest ones, newest first. */
  readonly rejections: readonly TrafficEvent[];
};

/** A property, or all properties of an organization. */
export type TrafficScope = {
  readonly organizationId: OrganizationId;
  readonly propertyId: PropertyId | undefined;
};
