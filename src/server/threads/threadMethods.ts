import type { Argon2idOwner, Argon2idResult, CheckArgon2id } from '../../captcha/argon2idCheck.ts';
import type { Config } from '../../config.ts';
import type { GeoipBytes } from '../../geoip/geoip.ts';
import type { FileContents } from '../../http/fileHandler.ts';
import type { Awaitable } from '../../lib/awaitable.ts';
import type { LogFields, LogLevel } from '../../lib/log.ts';
import type { SharedBuffers } from '../../lib/sharedMemory.ts';
import type { Principal } from '../../model/apiKey.ts';
import type { KeyUse } from '../../model/ports/apiKey.ts';
import type { SigningKey } from '../../model/ports/installation.ts';
import type { PropertyAndRevisions } from '../../model/ports/property.ts';
import type { StoredRules } from '../../model/ports/rules.ts';
import type { Sitekey } from '../../model/property.ts';
import type { RuleScope } from '../../model/rules/rule.ts';
import type { TrafficEvent } from '../../model/traffic.ts';
import type { DailySecrets } from '../addressHashes.ts';
import type { ThreadCounts } from '../countSharing.ts';
import type { OtherCounts } from '../usageRecording.ts';
import type { SharedFile } from './staticFiles.ts';

/** The settings that a request thread needs. */
export type ThreadConfig = Pick<
  Config,
  | 'baseUrl'
  | 'clientIpHeader'
  | 'hstsSubdomains'
  | 'log'
  | 'puzzleBurst'
  | 'puzzleRate'
  | 'testProperty'
  | 'trafficDetails'
  | 'trustedProxies'
  | 'verifyBurst'
  | 'verifyRate'
> & { readonly threads: number };

/** What a request thread needs at its start. */
export type ThreadStart = {
  readonly config: ThreadConfig;
  /** Its number, 0 for the first. */
  readonly slot: number;
  readonly buffers: SharedBuffers;
  readonly replayCapacity: number;
  readonly isClustered: boolean;
  readonly signingKeys: readonly SigningKey[];
  readonly addressSecrets: DailySecrets;
  readonly geoip: readonly GeoipBytes[];
  readonly files: readonly SharedFile[];
  /** The routes that the thread serves, in the order of their counters. */
  readonly routes: readonly { readonly method: string; readonly path: string }[];
  /** For `createLedgerClient`. */
  readonly ledgerPort: MessagePort;
  /** For `createForwarder`. */
  readonly forwardPort: MessagePort;
};

/** The options of a listener on the shared port. */
export type ListenOptions = {
  readonly hostname: string;
  readonly port: number;
  readonly idleTimeout: number;
  readonly maxRequestBodySize: number;
  readonly tls?: { readonly cert: string; readonly key: string; readonly ciphers: string } | undefined;
};

/** The functions of a request thread that the management thread calls. */
export type ThreadMethods = {
  /** Does nothing. Its response shows that the thread has loaded its modules, and that it is not blocked. */
  readonly ping: (nothing: undefined) => void;
  readonly start: (start: ThreadStart) => Promise<void>;
  /** Listens on the port, and then stops the previous listener, which finishes its requests. */
  readonly listen: (options: ListenOptions) => void | Promise<void>;
  /** Stops accepting connections. Resolves when the last request is finished. */
  readonly stopListening: (nothing: undefined) => Promise<void>;
  readonly replaceSigningKeys: (keys: readonly SigningKey[]) => void | Promise<void>;
  readonly replaceAddressSecrets: (secrets: DailySecrets) => void | Promise<void>;
  readonly replaceGeoip: (contents: readonly GeoipBytes[]) => void | Promise<void>;
  /** Sends all counts to the management thread. */
  readonly handOver: (nothing: undefined) => Promise<void>;
};

/** Lookups that the caches of a request thread could not answer. */
export type LookUp = {
  readonly sitekeys: readonly Sitekey[];
  readonly keyHashes: readonly string[];
  readonly rules: readonly RuleScope[];
};

/** The result of a lookup, or the reason why the database could not be read. */
export type Found<Value> = { readonly value: Value } | { readonly reason: string };

/** The results in the order of the lookups. */
export type FoundRecords = {
  readonly properties: readonly Found<PropertyAndRevisions | undefined>[];
  readonly principals: readonly Found<Principal | undefined>[];
  readonly rules: readonly Found<StoredRules | undefined>[];
};

/** What a request thread has counted. */
export type HandedOver = OtherCounts & {
  readonly keyUses?: readonly KeyUse[];
  readonly traffic?: readonly TrafficEvent[];
};

/** The functions of the management thread that request threads call. */
export type ManagementMethods = {
  readonly lookUp: (keys: LookUp) => Promise<FoundRecords>;
  /** Loads one of the files of `ThreadStart`. */
  readonly loadFile: (path: string) => Awaitable<FileContents>;
  readonly checkArgon2id: (check: Argon2idCall) => Promise<Argon2idResult>;
  readonly addCounts: (counts: HandedOver) => void;
  /** Adds what the other nodes of the installation need. */
  readonly collect: (counts: ThreadCounts) => void;
  readonly log: (entry: LogEntry) => void;
  /** Logs how many entries were not sent. */
  readonly logLost: (entries: number) => void;
  /** Adds the number of events that were not sent, because the thread has logged too many of them. */
  readonly logSuppressed: (events: SuppressedEvents) => void;
  /** Reports that a request failed because of the database. */
  readonly reportFailure: (reason: string) => void;
};

export type Argon2idCall = {
  readonly owner: Argon2idOwner;
  readonly payload: Parameters<CheckArgon2id>[1];
};

export type LogEntry = { readonly level: LogLevel; readonly event: string; readonly fields: LogFields };

export type SuppressedEvents = { readonly event: string; readonly suppressed: number };
