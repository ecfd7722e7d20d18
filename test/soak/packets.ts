/** The nftables table that drops packets. */
const TABLE = 'postern_faults';

/** @throws if nft(8) fails */
function nft(...words: readonly string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(['nft', ...words]);
  if (exitCode !== 0) throw new Error(`nft: ${stderr}`);
}

/** Drops all packets to and from a port until `restorePackets`, as if its machine had no power. Needs root and nftables. */
export function dropPackets(port: number): void {
  nft(
    `table ip ${TABLE} { chain in { type filter hook input priority 0; tcp dport ${port} drop; tcp sport ${port} drop; }; }`,
  );
}

export function restorePackets(): void {
  nft('delete', 'table', 'ip', TABLE);
}
