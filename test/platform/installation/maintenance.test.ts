import { describe, expect, test } from 'bun:test';
import type { InstallationStore } from '../../../src/model/ports/installation.ts';
import { createMaintenance } from '../../../src/platform/installation/maintenance.ts';

/** The switch as it stands in the database; another process may turn it, and it may be unreadable. */
function open(startsOn = false) {
  const state = { isOn: false, failure: undefined as Error | undefined };
  const guarded = async <T>(work: () => T) => {
    if (state.failure !== undefined) throw state.failure;
    return work();
  };
  const store: InstallationStore = {
    secret: async (_, fresh) => fresh,
    changeVersion: async () => 0,
    probe: async () => {},
    isInMaintenance: () => guarded(() => state.isOn),
    setMaintenance: (isOn) => guarded(() => void Object.assign(state, { isOn })),
  };
  return { state, maintenance: createMaintenance(store, startsOn) };
}

describe('maintenance', () => {
  test('is off unless somebody turns it on, and is kept', async () => {
    const { state, maintenance } = open();
    expect(maintenance.isOn()).toBe(false);
    await maintenance.set(true);
    expect([maintenance.isOn(), state.isOn]).toEqual([true, true]);
    await maintenance.set(false);
    expect([maintenance.isOn(), state.isOn]).toEqual([false, false]);
  });

  test('is noticed when another process turned it', async () => {
    const { state, maintenance } = open();
    state.isOn = true;
    await maintenance.refresh();
    expect(maintenance.isOn()).toBe(true);
    state.isOn = false;
    await maintenance.refresh();
    expect(maintenance.isOn()).toBe(false);
  });

  test('by configuration holds whatever the switch says', async () => {
    const { maintenance } = open(true);
    await maintenance.refresh();
    await maintenance.set(false);
    expect(maintenance.isOn()).toBe(true);
  });

  test('holds by itself from a failure of the database until it can be read again', async () => {
    const { state, maintenance } = open();
    state.failure = new Error('disk');
    expect(maintenance.noteFailure()).toBe(true);
    expect(maintenance.noteFailure()).toBe(false);
    expect(maintenance.isOn()).toBe(true);
    await expect(maintenance.refresh()).rejects.toThrow('disk');
    expect(maintenance.isOn()).toBe(true);
    state.failure = undefined;
    await maintenance.refresh();
    expect(maintenance.isOn()).toBe(false);
    expect(maintenance.noteFailure()).toBe(true);
  });

  test('that cannot be kept is not turned', async () => {
    const { state, maintenance } = open();
    state.failure = new Error('disk');
    await expect(maintenance.set(true)).rejects.toThrow('disk');
    expect(maintenance.isOn()).toBe(false);
  });
});
