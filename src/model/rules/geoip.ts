import type { Instant } from '../../lib/time.ts';

/** What a GeoIP file says about an address; undefined members are unknown. */
export type GeoipFacts = { readonly country: string | undefined; readonly asn: number | undefined };

/** A file in the MaxMind DB format. */
export type GeoipFile = {
  readonly path: string;
  /** The type in its metadata, such as `GeoLite2-Country`; undefined if the file was never read. */
  readonly type: string | undefined;
  /** When the database was built. */
  readonly builtAt: Instant | undefined;
  /** The reason why the newest version of the file cannot be read; the server keeps the version before it. */
  readonly failure: string | undefined;
};

export type GeoipStatus = {
  readonly files: readonly GeoipFile[];
  /** Whether at least one of the files that were read has countries, or ASNs. */
  readonly hasCountries: boolean;
  readonly hasAsns: boolean;
};
