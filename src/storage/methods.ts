import type { Stores } from './storage.ts';

/**
 * The effect of a store method:
 * - `read`: only reads; may use any connection.
 * - `write`: everything else, including reads that need the writer's connection.
 * - `invalidate`: a write that may change data that servers cache: properties by sitekey, rules, API keys with the organizations of
 *   their users, and signing keys.
 */
export type MethodKind = 'read' | 'write' | 'invalidate';

/** Every method of every store. */
export const METHODS: {
  readonly [Name in keyof Stores]: { readonly [Method in keyof Stores[Name]]: MethodKind };
} = {
  accounts: {
    create: 'write',
    list: 'read',
    byEmail: 'read',
    byId: 'read',
    search: 'read',
    summaryOf: 'read',
    setDisabled: 'invalidate',
    setAdmin: 'write',
    setPasswordHash: 'write',
    setEmail: 'write',
    setPlan: 'write',
    normalizeEmails: 'write',
    count: 'read',
  },
  organizations: {
    create: 'invalidate',
    rename: 'invalidate',
    remove: 'invalidate',
    byId: 'read',
    list: 'read',
    overview: 'read',
    isMember: 'read',
    addMember: 'invalidate',
    removeMember: 'invalidate',
    members: 'read',
    transfer: 'invalidate',
  },
  properties: {
    create: 'invalidate',
    setEnabled: 'invalidate',
    byId: 'read',
    list: 'read',
    bySitekeys: 'read',
    listAfter: 'read',
    slice: 'read',
    search: 'read',
    purge: 'invalidate',
    bySitekey: 'read',
  },
  apiKeys: {
    create: 'invalidate',
    list: 'read',
    page: 'read',
    byId: 'read',
    revoke: 'invalidate',
    rotate: 'invalidate',
    endOldSecret: 'invalidate',
    change: 'invalidate',
    expiring: 'read',
    markExpiring: 'write',
    recordUses: 'write',
    byKeyHash: 'read',
  },
  signingKeys: {
    list: 'read',
    add: 'invalidate',
    addAfterLoss: 'invalidate',
    replaceAll: 'invalidate',
    prune: 'invalidate',
  },
  installation: {
    secret: 'write',
    probe: 'write',
    endProbe: 'write',
    changeVersion: 'write',
    counter: 'read',
    increaseCounter: 'write',
    isInMaintenance: 'read',
    lastBackupAt: 'read',
    clockRecord: 'read',
    recordClock: 'write',
    setMaintenance: 'write',
    completeRestore: 'invalidate',
  },
  plans: { list: 'read', set: 'write' },
  tasks: {
    enqueue: 'write',
    byId: 'read',
    page: 'read',
    byIdIn: 'read',
    pageIn: 'read',
    backlog: 'read',
    claim: 'write',
    renew: 'write',
    postpone: 'write',
    releaseAbandoned: 'write',
    resultsOf: 'read',
    finish: 'invalidate',
    rehearse: 'write',
    purge: 'write',
  },
  statistics: {
    add: 'write',
    byHour: 'read',
    byDay: 'read',
    byHourOf: 'read',
    inHour: 'read',
    summarize: 'write',
    rollUp: 'write',
    purge: 'write',
  },
  audit: { append: 'write', page: 'read', purge: 'write' },
  invitations: {
    create: 'write',
    list: 'read',
    byTokenHash: 'read',
    revoke: 'write',
    accept: 'invalidate',
    createAccount: 'write',
    purge: 'write',
  },
  credentials: {
    byId: 'read',
    byEmail: 'read',
    rehash: 'write',
    renewPassword: 'write',
    rename: 'write',
    canAnyoneSignIn: 'read',
    setup: 'write',
  },
  sessions: {
    create: 'write',
    bySecretHash: 'read',
    list: 'read',
    isAt: 'read',
    countLive: 'read',
    touch: 'write',
    confirm: 'write',
    changePassword: 'write',
    complete: 'write',
    end: 'write',
    endOthers: 'write',
    endAll: 'write',
    endEvery: 'write',
    purge: 'write',
  },
  twoFactor: {
    byAccount: 'read',
    start: 'write',
    confirm: 'write',
    useStep: 'write',
    useRecoveryCode: 'write',
    countRecoveryCodes: 'read',
    replaceRecoveryCodes: 'write',
    remove: 'write',
    reset: 'write',
  },
  widgetBuilds: { recordCurrent: 'write', list: 'read', byId: 'read' },
  exports: { read: 'read', import: 'invalidate' },
  rules: { list: 'read', stored: 'read', replace: 'invalidate', hits: 'read', addHits: 'write' },
  overview: {
    properties: 'read',
    inState: 'read',
    findProperties: 'read',
    bySitekeyPrefix: 'read',
    organizations: 'read',
    failedTasks: 'read',
    counts: 'read',
  },
};

export type Method = (...args: readonly unknown[]) => unknown;

/** A method with its store, name, and kind. */
export type StoreMethod = {
  readonly store: keyof Stores;
  readonly name: string;
  readonly kind: MethodKind;
  readonly method: Method;
};

/** Returns stores with the methods that `map` returns. @throws TypeError if a method is missing in METHODS */
export function mapMethods(stores: Stores, map: (method: StoreMethod) => Method): Stores {
  const mapStore = (store: keyof Stores): object => {
    const kinds: Readonly<Record<string, MethodKind>> = METHODS[store];
    const methods: [string, Method][] = Object.entries(stores[store]);
    return Object.fromEntries(
      methods.map(([name, method]) => {
        const kind = kinds[name];
        if (kind === undefined) throw new TypeError(`the method ${store}.${name} has no kind`);
        return [name, map({ store, name, kind, method })];
      }),
    );
  };
  const names = Object.keys(METHODS) as (keyof Stores)[];
  return Object.fromEntries(names.map((store) => [store, mapStore(store)])) as Stores;
}

/**
 * Returns stores that report each write that invalidates caches, before its caller continues. Failed writes are reported too,
 * because they may have changed something.
 */
export function reportInvalidations(stores: Stores, onInvalidate: () => void): Stores {
  return mapMethods(stores, ({ kind, method }) =>
    kind !== 'invalidate'
      ? method
      : async (...args) => {
          try {
            return await method(...args);
          } finally {
            onInvalidate();
          }
        },
  );
}
