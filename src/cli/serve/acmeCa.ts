import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Config } from '../../config.ts';
import { reasonOf } from '../../lib/log.ts';
import { ConfigError } from '../command.ts';

/** @returns the content of `POSTERN_ACME_CA`; undefined if it is not set @throws ConfigError if it is not a certificate */
export function readAcmeCa({ acmeCa }: Config): string | undefined {
  if (acmeCa === undefined) return undefined;
  try {
    const pem = readFileSync(acmeCa, 'utf8');
    new X509Certificate(pem);
    return pem;
  } catch (cause) {
    throw new ConfigError([`POSTERN_ACME_CA cannot be used: ${reasonOf(cause)}`]);
  }
}
