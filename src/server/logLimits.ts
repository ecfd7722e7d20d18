import type { LogOptions } from '../lib/log.ts';
import { timer } from '../lib/timer.ts';
import { summaryOf, UNLIMITED_EVENTS } from '../model/logEvents.ts';

/** The limits of the server's log. */
export const LOG_LIMITS: LogOptions['limits'] = { timer, unlimited: UNLIMITED_EVENTS, summaryOf };
