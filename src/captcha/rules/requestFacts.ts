import { type AddressKey, toAddressKey } from '../../lib/addressKey.ts';
import type { GeoipFacts } from '../../model/rules/countries.ts';
import type { Downgrade } from '../../model/rules/rule.ts';

/** The parts of a request that rules can depend on. Called only if a rule needs the value. */
export type RequestSource = {
  /** The client address; undefined if the connection is closed. */
  readonly address: () => string | undefined;
  /** @param name in lowercase @returns null if the header is missing */
  readonly header: (name: string) => string | null;
  /** The path of the page; undefined if it is unknown. */
  readonly path: () => string | undefined;
  /** The kind of work from which the puzzle is downgraded; undefined if it is not. */
  readonly downgrade?: Downgrade | undefined;
};

/** Looks up an address in the GeoIP files; undefined for an unknown address. */
export type GeoipLookup = (address: string | undefined) => GeoipFacts;

/** The values that rules are compared with. All but other headers are computed once, when a rule first needs them. */
export type RequestFacts = {
  readonly address: () => AddressKey | undefined;
  /** Undefined if the header is missing. */
  readonly header: (name: string) => string | undefined;
  /** Empty if the header is missing. */
  readonly userAgent: () => string;
  readonly path: () => string | undefined;
  readonly geoip: () => GeoipFacts;
  readonly downgrade: () => Downgrade | undefined;
};

/** Characters of the texts that are compared with patterns. The rest of a longer text is ignored, which bounds the work. */
const TEXT_MAX_LENGTH = 1024;

/**
 * Creates facts that can be used for one request after the other: `begin` discards the values of the previous one. New facts for each
 * request would cost 0.3 µs.
 */
export function createRequestFacts(
  geoip: GeoipLookup,
): RequestFacts & { readonly begin: (source: RequestSource) => void } {
  let source: RequestSource = { address: () => undefined, header: () => null, path: () => undefined };
  let address: AddressKey | null | undefined;
  let userAgent: string | undefined;
  let geoipFacts: GeoipFacts | undefined;

  function header(name: string): string | undefined {
    const value = source.header(name);
    return value === null ? undefined : limited(value);
  }

  return {
    begin(next) {
      source = next;
      address = undefined;
      userAgent = undefined;
      geoipFacts = undefined;
    },
    address() {
      if (address === undefined) {
        const text = source.address();
        address = (text === undefined ? undefined : toAddressKey(text)) ?? null;
      }
      return address ?? undefined;
    },
    header,
    userAgent() {
      userAgent ??= header('user-agent') ?? '';
      return userAgent;
    },
    path() {
      const path = source.path();
      return path === undefined ? undefined : limited(path);
    },
    geoip() {
      geoipFacts ??= geoip(source.address());
      return geoipFacts;
    },
    downgrade: () => source.downgrade,
  };
}

function limited(text: string): string {
  return text.length > TEXT_MAX_LENGTH ? text.slice(0, TEXT_MAX_LENGTH) : text;
}
