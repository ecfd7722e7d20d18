import { describe, expect, test } from 'bun:test';
import { INSTALLATION, portalActor } from '../../../src/model/actor.ts';
import type { InstallationStore } from '../../../src/model/ports/installation.ts';
import { createMaintenance } from '../../../src/platform/installation/maintenance.ts';

/** Maintenance mode on a fake store, whose state a test can change as another process does, or make inaccessible. */
function open(isAlwaysOn = false) {
  const state = { isOn: false, failure: undefined as Error | undefined };
  const guarded = async <T>(work: () => T) => {
    if (state.failure !== undefined) throw state.failure;
    return work();
  };
  const store: Pick<InstallationStore, 'isInMaintenance' | 'setMaintenance'> = {
    isInMaintenance: () => guarded(() => state.isOn),
    setMaintenance: (isOn) => guarded(() => void Object.assign(state, { isOn })),
  };
  return { state, maintenance: createMaintenance({ store, isAlwaysOn, entryFor: async () => undefined }) };
}

describe('maintenance', () => {
  test('is off until it is turned on, and its state is stored', async () => {
    const { state, maintenance } = open();
    expect(maintenance.isOn()).toBe(false);
    await maintenance.set(INSTALLATION, true);
    expect([maintenance.isOn(), state.isOn]).toEqual([true, true]);
    await maintenance.set(INSTALLATION, false);
    expect([maintenance.isOn(), state.isOn]).toEqual([false, false]);
  });

  test('is turned on only by administrators and the command line', async () => {
    const { state, maintenance } = open();
    const user = portalActor({ id: 1 as never, isAdmin: false }, undefined);
    expect(await maintenance.set(user, true)).toEqual({ ok: false, problem: 'admin-only' });
    expect([maintenance.isOn(), state.isOn]).toEqual([false, false]);
  });

  test('follows the state that another process stored after a refresh', async () => {
    const { state, maintenance } = open();
    state.isOn = true;
    await maintenance.refresh();
    expect(maintenance.isOn()).toBe(true);
    state.isOn = false;
    await maintenance.refresh();
    expect(maintenance.isOn()).toBe(false);
  });

  test('stays on while the configuration turns it on', async () => {
    const { maintenance } = open(true);
    await maintenance.refresh();
    await maintenance.set(INSTALLATION, false);
    expect(maintenance.isOn()).toBe(true);
  });

  test('is on after the database failed, until it has recovered', async () => {
    const { state, maintenance } = open();
    state.failure = new Error('disk');
    expect(maintenance.recordFailure()).toBe(true);
    expect(maintenance.recordFailure()).toBe(false);
    expect(maintenance.isOn()).toBe(true);
    await expect(maintenance.refresh()).rejects.toThrow('disk');
    expect(maintenance.isOn()).toBe(true);
    state.failure = undefined;
    await maintenance.refresh();
    expect(maintenance.isOn()).toBe(true);
    maintenance.recordRecovery();
    expect(maintenance.isOn()).toBe(false);
    expect(maintenance.recordFailure()).toBe(true);
  });

  test('does not change if its state cannot be stored', async () => {
    const { state, maintenance } = open();
    state.failure = new Error('disk');
    await expect(maintenance.set(INSTALLATION, true)).rejects.toThrow('disk');
    expect(maintenance.isOn()).toBe(false);
  });
});
