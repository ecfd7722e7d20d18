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
