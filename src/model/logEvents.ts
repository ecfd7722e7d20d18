import type { LogOptions } from '../lib/log.ts';
import { timer } from '../lib/timer.ts';

/** Events that can indicate an attack. Their names are a public interface (docs/reference/logs.md). */
export const SECURITY_EVENTS = ['api-key-rejected', 'form-rejected', 'sign-in-throttled'] as const;
export type SecurityEvent = (typeof SECURITY_EVENTS)[number];

/**
 * Events without a limit. All others are logged at most 30 times a minute, because a client may cause them. An event belongs here only if
 * its number depends on the settings or on stored data, and not on requests.
 */
export const UNLIMITED_EVENTS: readonly string[] = ['api-key-expiring', 'setting-unknown'];

/** The events that report how many others were not logged. */
export const SUMMARIES = {
  security: { level: 'info', event: 'security-events-suppressed' },
  other: { level: 'warn', event: 'events-suppressed' },
} as const;

/** @returns the event that reports how many of these events were not logged */
function summaryOf(event: string): (typeof SUMMARIES)[keyof typeof SUMMARIES] {
  return SECURITY_EVENTS.some((each) => each === event) ? SUMMARIES.security : SUMMARIES.other;
}

/** The limits of the server's log. */
export const LOG_LIMITS: LogOptions['limits'] = { timer, unlimited: UNLIMITED_EVENTS, summaryOf };
