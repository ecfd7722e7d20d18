import type { Config } from '../config.ts';
import { timer } from '../lib/timer.ts';
import { createResolve, type Resolve } from '../platform/properties/dnsResolver.ts';

/** @returns a function that resolves a domain; undefined if the DNS check is off */
export function createDnsLookup(
  config: Pick<Config, 'dnsCheck' | 'dnsServers' | 'dnsTimeoutMs'>,
): Resolve | undefined {
  if (!config.dnsCheck) return undefined;
  return createResolve({ servers: config.dnsServers, timeoutMs: config.dnsTimeoutMs, timer });
}
