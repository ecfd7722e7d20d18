/** A part of a capacity. */
export type Part = {
  /** Makes the part larger. @returns false if the capacity does not allow it; then the part is unchanged */
  readonly grow: (size: number) => boolean;
  /** Gives the part back. It is safe to repeat. */
  readonly release: () => void;
};

/**
 * @param path names of the groups to which the owner belongs, the largest first, and of the owner
 * @param onRevoked called when an owner or a group with less needs the part, which is already released
 */
export type OpenPart = (path: readonly string[], onRevoked: () => void) => Part;

/** An owner, or a group of owners. */
type Node = {
  readonly parent: Node | undefined;
  readonly name: string;
  size: number;
  readonly members: Map<string, Node>;
  readonly parts: Set<OwnedPart>;
};
type OwnedPart = { size: number; readonly revoke: () => void };

/**
 * Divides a capacity among owners, so that none of them can use it up: an owner has at most its share. While the capacity is used up,
 * an owner that needs more gets it from the newest parts of the group that has the most, unless its own group would then have more than
 * that one; within a group, from the owner that has the most, in the same way.
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
  const root = createNode('');

  function makeSpace(path: readonly string[], size: number): boolean {
    if ((lineOf(root, path).at(-1)?.size ?? 0) + size > share || size > capacity) return false;
    while (root.size + size > capacity) {
      const part = replaceable(root, path, size);
      if (part === undefined) return false;
      part.revoke();
    }
    return true;
  }

  return (path, onRevoked) => {
    let owner: Node | undefined;
    const part: OwnedPart = {
      size: 0,
      revoke() {
        release();
        onRevoked();
      },
    };

    function release(): void {
      if (owner === undefined) return;
      owner.parts.delete(part);
      addSize(owner, -part.size);
      part.size = 0;
      owner = undefined;
    }

    return {
      grow(size) {
        if (size === 0) return true;
        if (!makeSpace(path, size)) return false;
        // The space may come from this owner's other parts, or from this one.
        owner = path.reduce(memberOf, root);
        owner.parts.add(part);
        part.size += size;
        addSize(owner, size);
        return true;
      },
      release,
    };
  };
}

function createNode(name: string, parent?: Node): Node {
  return { parent, name, size: 0, members: new Map(), parts: new Set() };
}

function memberOf(parent: Node, name: string): Node {
  const known = parent.members.get(name);
  if (known !== undefined) return known;
  const member = createNode(name, parent);
  parent.members.set(name, member);
  return member;
}

/** @returns the groups of a path and its owner; undefined for those without parts */
function lineOf(root: Node, path: readonly string[]): (Node | undefined)[] {
  let node: Node | undefined = root;
  return path.map((name) => {
    node = node?.members.get(name);
    return node;
  });
}

/** Adds to the size of an owner and its groups, and removes those without parts. */
function addSize(owner: Node, size: number): void {
  for (let node: Node | undefined = owner; node !== undefined; node = node.parent) {
    node.size += size;
    if (node.parts.size === 0 && node.members.size === 0) node.parent?.members.delete(node.name);
  }
}

/** @returns the part that an owner must get before its own can grow; undefined if the owner and its groups have too much for that */
function replaceable(root: Node, path: readonly string[], size: number): OwnedPart | undefined {
  let parent: Node | undefined = root;
  for (const name of path) {
    const largest: Node | undefined = parent && largestOf(parent.members.values());
    const own: Node | undefined = parent?.members.get(name);
    if (largest !== undefined && largest.size > (own?.size ?? 0) + size) return newestOf(largest);
    parent = own;
  }
  return undefined;
}

/** @returns the member with the most; of several, the one that came last */
function largestOf(nodes: Iterable<Node>): Node | undefined {
  let largest: Node | undefined;
  for (const node of nodes) if (largest === undefined || node.size >= largest.size) largest = node;
  return largest;
}

/** @returns the newest part of the largest owner in a group */
function newestOf(group: Node): OwnedPart | undefined {
  let owner = group;
  for (
    let member = largestOf(owner.members.values());
    member !== undefined;
    member = largestOf(owner.members.values())
  )
    owner = member;
  let newest: OwnedPart | undefined;
  for (const part of owner.parts) newest = part;
  return newest;
}

/** Hexadecimal digits of an IPv6 /48, the largest network that a customer usually gets (RFC 6177, section 2). */
const WIDE_DIGITS = 12;
const IPV6_CLIENT = /^[0-9a-f]{16}$/;

/**
 * The path of a client for the fair division of a resource, so that a network with many addresses counts as one.
 *
 * @param client an IPv4 address, the /64 of an IPv6 address as 16 hexadecimal digits, or an empty string
 * @returns the group, which is the /48 for IPv6, and the client
 */
export function networkPathOf(client: string): readonly [string, string] {
  return [IPV6_CLIENT.test(client) ? client.slice(0, WIDE_DIGITS) : client, client];
}
