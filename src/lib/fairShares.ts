/** A part of a capacity. */
export type Part = {
  /** Makes the part larger. @returns false if the capacity does not allow it; then the part is unchanged */
  readonly grow: (size: number) => boolean;
  /** Gives the part back. It is safe to repeat. */
  readonly release: () => void;
};

/** @param onRevoked called when an owner with less needs the part, which is already released */
export type OpenPart = (owner: string, onRevoked: () => void) => Part;

type Owner = { size: number; readonly parts: Set<OwnedPart> };
type OwnedPart = { size: number; readonly revoke: () => void };

/**
 * Divides a capacity among owners, so that none of them can use it up: an owner has at most its share. While the capacity is used up,
 * an owner that needs more gets it from the newest parts of the owner that has the most, unless it would then have more than that owner.
 *
 * Nothing waits here: each request is decided at once.
 *
 * @param share maximum size for each owner
 * @returns a function that creates a part of size 0
 */
export function createFairShares({
  capacity,
  share,
}: {
  readonly capacity: number;
  readonly share: number;
}): OpenPart {
  /** Owners with parts that are larger than 0. */
  const owners = new Map<string, Owner>();
  let used = 0;

  function makeSpace(own: number, size: number): boolean {
    if (own + size > share || size > capacity) return false;
    while (used + size > capacity) {
      const largest = largestOf(owners.values());
      if (largest === undefined || largest.size <= own + size) return false;
      newestOf(largest)?.revoke();
    }
    return true;
  }

  return (name, onRevoked) => {
    const part: OwnedPart = {
      size: 0,
      revoke() {
        release();
        onRevoked();
      },
    };

    function release(): void {
      const owner = owners.get(name);
      if (owner === undefined || !owner.parts.delete(part)) return;
      used -= part.size;
      owner.size -= part.size;
      part.size = 0;
      if (owner.parts.size === 0) owners.delete(name);
    }

    return {
      grow(size) {
        if (size === 0) return true;
        if (!makeSpace(owners.get(name)?.size ?? 0, size)) return false;
        const owner = owners.get(name) ?? { size: 0, parts: new Set() };
        owners.set(name, owner);
        owner.parts.add(part);
        part.size += size;
        owner.size += size;
        used += size;
        return true;
      },
      release,
    };
  };
}

function largestOf(owners: Iterable<Owner>): Owner | undefined {
  let largest: Owner | undefined;
  for (const owner of owners) if (largest === undefined || owner.size > largest.size) largest = owner;
  return largest;
}

function newestOf({ parts }: Owner): OwnedPart | undefined {
  let newest: OwnedPart | undefined;
  for (const part of parts) newest = part;
  return newest;
}
