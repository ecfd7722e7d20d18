import { type Clock, type Instant, toIso } from '../../lib/time.ts';
import type { SystemActor } from '../../model/actor.ts';
import type { InstallationStore } from '../../model/ports/installation.ts';
import type { EntryFor } from '../audit.ts';
import { stepAt } from '../authentication/totp.ts';
import type { SigningKeys } from './signingKeys.ts';

/**
 * Creates the use case that makes the database of a backup safe to use. Puzzles that were issued before the backup may have been verified
 * after it, so their signing keys are deleted. All sessions are deleted, because users may have ended some of them after the backup.
 */
export function createCompleteRestore(deps: {
  readonly store: Pick<InstallationStore, 'completeRestore'>;
  readonly signingKeys: Pick<SigningKeys, 'generate'>;
  readonly entryFor: EntryFor;
  readonly clock: Clock;
}) {
  return async (actor: SystemActor, backupAt: Instant): Promise<void> => {
    const signingKey = await deps.signingKeys.generate();
    const object = `backup of ${toIso(backupAt)}`;
    const entry = await deps.entryFor(actor, { action: 'backup-restored', object });
    const usedStep = stepAt(deps.clock());
    await deps.store.completeRestore({ signingKey, usedStep, backupAt }, entry);
  };
}
