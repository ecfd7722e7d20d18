/** The kind of work that a puzzle requires. */
type Kind = 'blake2b' | 'argon2id';

type Device = {
  /** Hashes per second of the whole device. */
  readonly rates: Readonly<Record<Kind, number>>;
  /** The price of renting it; undefined for devices that visitors own. */
  readonly dollarsPerHour?: number;
};

/** Devices of people and attackers. docs/explanation/difficulty.md#devices-and-prices names the source of each number. */
export const DEVICES = {
  slowPhone: { rates: { blake2b: 1e6, argon2id: 5 } },
  phone: { rates: { blake2b: 8e6, argon2id: 40 } },
  laptop: { rates: { blake2b: 31e6, argon2id: 160 } },
  serverCore: { rates: { blake2b: 40e6, argon2id: 280 }, dollarsPerHour: 0.005 },
  gpu: { rates: { blake2b: 13_072e6, argon2id: 26_672 }, dollarsPerHour: 0.34 },
} as const satisfies Readonly<Record<string, Device>>;

export type DeviceName = keyof typeof DEVICES;

/** The average number of hashes of a puzzle at a level without growth. An argon2id puzzle has 8 solutions and 128 levels less. */
export function attemptsAt(level: number, kind: Kind): number {
  return kind === 'blake2b' ? 16 * 2 ** (level / 8) : 8 * 2 ** ((level - 128) / 8);
}

/** Returns the seconds that a device needs for a number of hashes. */
export function secondsFor(hashes: number, device: DeviceName, kind: Kind = 'blake2b'): number {
  return hashes / DEVICES[device].rates[kind];
}

/** Returns the price in US dollars of renting a device for a number of hashes. */
export function dollarsFor(hashes: number, device: 'serverCore' | 'gpu', kind: Kind = 'blake2b'): number {
  return (secondsFor(hashes, device, kind) / 3600) * DEVICES[device].dollarsPerHour;
}
