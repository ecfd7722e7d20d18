/** @returns a client address for display; for IPv6, which is stored as 16 hexadecimal digits, its /64 network */
export function addressName(address: string): string {
  const groups = /^[0-9a-f]{16}$/.test(address) ? (address.match(/..../g) ?? []) : [];
  return groups.length === 0
    ? address
    : `${groups.map((group) => group.replace(/^0{1,3}/, '')).join(':')}::/64`;
}
