import { parseCidr } from '../../src/lib/address.ts';

/** A record of a GeoIP file, as a JSON value. */
type GeoipRecord = string | number | { readonly [name: string]: GeoipRecord };

/** Metadata of a GeoIP file that tests set. */
type GeoipOptions = { readonly type?: string; readonly builtAt?: Date; readonly ipVersion?: 4 | 6 };

type Node = { left: Node | number | undefined; right: Node | number | undefined };

const newNode = (): Node => ({ left: undefined, right: undefined });

/**
 * Returns a file in the MaxMind DB format, version 2.0 (https://maxmind.github.io/MaxMind-DB/), with records of 24 bits.
 *
 * @param networks CIDR blocks and their records; blocks must not overlap
 */
export function createGeoipFile(
  networks: Readonly<Record<string, GeoipRecord>>,
  { type = 'Test-Country', builtAt = new Date(0), ipVersion = 6 }: GeoipOptions = {},
): Buffer {
  const root = newNode();
  const data: Buffer[] = [];
  let dataSize = 0;
  for (const [network, record] of Object.entries(networks)) {
    insert(root, bitsOf(network, ipVersion), dataSize);
    const encoded = encode(record);
    data.push(encoded);
    dataSize += encoded.length;
  }
  const nodes = listNodes(root);
  const indexes = new Map(nodes.map((node, index) => [node, index]));
  const tree = Buffer.alloc(nodes.length * 6);
  for (const [index, { left, right }] of nodes.entries()) {
    for (const [side, child] of [left, right].entries()) {
      const value =
        child === undefined
          ? nodes.length
          : typeof child === 'number'
            ? nodes.length + 16 + child
            : (indexes.get(child) ?? 0);
      tree.writeUIntBE(value, index * 6 + side * 3, 3);
    }
  }
  const metadata = encode({
    node_count: nodes.length,
    record_size: 24,
    ip_version: ipVersion,
    database_type: type,
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: builtAt.getTime() / 1000,
  });
  const marker = Buffer.from('ABCDEF4D61784D696E642E636F6D', 'hex');
  return Buffer.concat([tree, Buffer.alloc(16), ...data, marker, metadata]);
}

function bitsOf(network: string, ipVersion: 4 | 6): readonly number[] {
  const block = parseCidr(network);
  if (block === undefined) throw new Error(`${network} is not a network`);
  const bits = [...block.bytes].flatMap((byte) =>
    Array.from({ length: 8 }, (_, at) => (byte >> (7 - at)) & 1),
  );
  const prefix = bits.slice(0, block.prefix);
  return block.bytes.length === 4 && ipVersion === 6 ? [...new Array<number>(96).fill(0), ...prefix] : prefix;
}

function insert(root: Node, bits: readonly number[], offset: number): void {
  let node = root;
  for (const [index, bit] of bits.entries()) {
    const side = bit === 0 ? 'left' : 'right';
    if (index === bits.length - 1) node[side] = offset;
    else {
      const child = node[side];
      if (typeof child === 'number') throw new Error('networks overlap');
      const next: Node = child ?? newNode();
      node[side] = next;
      node = next;
    }
  }
}

function listNodes(root: Node): readonly Node[] {
  const nodes = [root];
  for (const { left, right } of nodes) {
    for (const child of [left, right]) if (typeof child === 'object') nodes.push(child);
  }
  return nodes;
}

/** Types of fields: 2 for UTF-8 text, 6 for an unsigned number of 32 bits, and 7 for a map. */
function encode(value: GeoipRecord): Buffer {
  if (typeof value === 'string') {
    const text = Buffer.from(value);
    // Sizes of 29 and more follow in an extra byte.
    const size = text.length < 29 ? [text.length] : [29, text.length - 29];
    return Buffer.concat([Buffer.of((2 << 5) | (size[0] ?? 0), ...size.slice(1)), text]);
  }
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return Buffer.concat([Buffer.of((6 << 5) | 4), bytes]);
  }
  const members = Object.entries(value).flatMap(([name, member]) => [encode(name), encode(member)]);
  return Buffer.concat([Buffer.of((7 << 5) | Object.keys(value).length), ...members]);
}
