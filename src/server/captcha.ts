import { createIssuePuzzle, type IssuePuzzle } from '../captcha/issue.ts';
import { createReplayGuard } from '../captcha/replay.ts';
import { createVerifySolution, type VerifySolution } from '../captcha/verify.ts';
import { systemRandom } from '../lib/ids.ts';
import { reasonOf } from '../lib/log.ts';
import { createBlake2b, createHmac } from './crypto.ts';
import type { Parts } from './parts.ts';

/** Issues puzzles with the caches of a running server. */
export function createIssue({ config, clock, caches, usageRecording }: Parts): IssuePuzzle {
  return createIssuePuzzle({
    onFailure: caches.noteFailure,
    properties: { bySitekey: caches.properties.get },
    load: usageRecording.load,
    usage: usageRecording.usage,
    keyRing: caches.ring,
    hmac: createHmac(),
    clock,
    random: systemRandom,
    hasTestProperty: config.testProperty,
  });
}

/** Verifies solutions with the caches and the ledger of a running server. */
export function createVerify(parts: Parts): VerifySolution {
  const { config, clock, caches, usageRecording, ledger, log, services, replayCapacity } = parts;
  return createVerifySolution({
    usage: usageRecording.usage,
    properties: { bySitekey: caches.properties.get },
    guard: createReplayGuard(ledger, replayCapacity),
    keyRing: caches.ring,
    hmac: createHmac(),
    hash: createBlake2b(),
    clock,
    isInMaintenance: services.maintenance.isOn,
    onFailure(what, error) {
      if (what === 'property') caches.noteFailure(error);
      else log.error('claim-failed', { reason: reasonOf(error) });
    },
    hasTestProperty: config.testProperty,
  });
}
