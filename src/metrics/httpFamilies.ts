import type { RequestReading } from '../model/readings.ts';
import { byKind, type Family } from './family.ts';

export type HttpSources = {
  readonly requests: () => readonly RequestReading[];
  /** Rejected requests by rate limit. */
  readonly rateLimits: () => ReadonlyMap<string, number>;
  readonly securityEvents: () => ReadonlyMap<string, number>;
};

/** @returns the metrics of HTTP requests */
export function createHttpFamilies({ requests, rateLimits, securityEvents }: HttpSources): readonly Family[] {
  return [
    {
      name: 'postern_http_requests_total',
      help: 'Number of HTTP responses by method, route, and status.',
      type: 'counter',
      labels: ['method', 'route', 'status'],
      read: () =>
        requests().flatMap(({ method, route, statuses }) =>
          Array.from(statuses, ([status, value]) => ({
            labels: { method, route, status: String(status) },
            value,
          })),
        ),
    },
    {
      name: 'postern_http_request_duration_seconds',
      help: 'Time from the arrival of an HTTP request to its response.',
      type: 'histogram',
      labels: ['method', 'route'],
      read: () =>
        requests().map(({ method, route, seconds }) => ({ labels: { method, route }, histogram: seconds })),
    },
    {
      name: 'postern_rate_limit_rejections_total',
      help: 'Number of requests that a rate limit rejected.',
      type: 'counter',
      labels: ['limit'],
      read: () => byKind('limit', rateLimits()),
    },
    {
      name: 'postern_security_events_total',
      help: 'Number of security events, including those that were not logged.',
      type: 'counter',
      labels: ['event'],
      read: () => byKind('event', securityEvents()),
    },
  ];
}
