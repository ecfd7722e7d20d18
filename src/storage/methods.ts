import type { Stores } from './storage.ts';

/**
 * The effect of a store method:
 * - `read`: only reads; may use any connection.
 * - `write`: everything else, including reads that need the writer's connection.
 * - `invalidate`: a write that may change data that servers cache: properties by sitekey, rules, API keys with the organizations of
 *   their users, and signing keys.
 */
export type MethodKind = 'read' | 'write' | 'invalidate';

/** Every method of every store, by its effect. */
export const METHODS: {
  readonly [Name in keyof Stores]: { readonly [Kind in MethodKind]?: readonly (keyof Stores[Name])[] };
} = {
  accounts: {
    read: ['list', 'byEmail', 'byId', 'search', 'summaryOf', 'count'],
    write: ['create', 'setAdmin', 'setPasswordHash', 'setEmail', 'setPlan', 'normalizeEmails'],
    invalidate: ['setDisabled'],
  },
  organizations: {
    read: ['byId', 'list', 'overview', 'isMember', 'members'],
    invalidate: ['create', 'rename', 'remove', 'addMember', 'removeMember', 'transfer', 'setAttack'],
  },
  properties: {
    read: ['byId', 'list', 'bySitekeys', 'listAfter', 'slice', 'search', 'bySitekey'],
    invalidate: ['create', 'setEnabled', 'setAttack', 'rotateOffline', 'purge'],
  },
  apiKeys: {
    read: ['list', 'page', 'byId', 'expiring', 'byKeyHash'],
    write: ['markExpiring', 'recordUses'],
    invalidate: ['create', 'revoke', 'rotate', 'endOldSecret', 'change'],
  },
  signingKeys: { read: ['list'], invalidate: ['add', 'addAfterLoss', 'replaceAll', 'prune'] },
  installation: {
    read: ['counter', 'isInMaintenance', 'lastBackupAt', 'clockRecord'],
    write: [
      'secret',
      'probe',
      'endProbe',
      'changeVersion',
      'increaseCounter',
      'recordClock',
      'setMaintenance',
    ],
    invalidate: ['completeRestore'],
  },
  plans: { read: ['list'], write: ['set'] },
  tasks: {
    read: ['byId', 'page', 'byIdIn', 'pageIn', 'backlog', 'resultsOf'],
    write: ['enqueue', 'claim', 'renew', 'postpone', 'releaseAbandoned', 'rehearse', 'purge'],
    invalidate: ['finish'],
  },
  shareLinks: { read: ['list', 'propertyOf'], write: ['create', 'revoke'] },
  statistics: {
    read: ['byHour', 'byDay', 'byHourOf', 'inHour'],
    write: ['add', 'summarize', 'rollUp', 'purge'],
  },
  audit: { read: ['page'], write: ['append', 'purge'] },
  invitations: {
    read: ['list', 'byTokenHash'],
    write: ['create', 'revoke', 'createAccount', 'purge'],
    invalidate: ['accept'],
  },
  credentials: {
    read: ['byId', 'byEmail', 'hasDismissedChecklist', 'canAnyoneSignIn'],
    write: ['rehash', 'renewPassword', 'rename', 'dismissChecklist', 'setup'],
  },
  sessions: {
    read: ['bySecretHash', 'list', 'isAt', 'countLive'],
    write: [
      'create',
      'touch',
      'confirm',
      'changePassword',
      'changeEmail',
      'complete',
      'end',
      'endOthers',
      'endAll',
      'endEvery',
      'purge',
    ],
  },
  twoFactor: {
    read: ['byAccount', 'countRecoveryCodes'],
    write: ['start', 'confirm', 'useStep', 'useRecoveryCode', 'replaceRecoveryCodes', 'remove', 'reset'],
  },
  widgetBuilds: { read: ['list', 'byId'], write: ['recordCurrent'] },
  exports: { read: ['read'], invalidate: ['import'] },
  rules: { read: ['list', 'stored', 'hits'], write: ['addHits'], invalidate: ['replace'] },
  overview: {
    read: [
      'properties',
      'inState',
      'findProperties',
      'bySitekeyPrefix',
      'organizations',
      'failedTasks',
      'progress',
      'counts',
    ],
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

function kindsOf(methods: { readonly [Kind in MethodKind]?: readonly string[] }) {
  const kinds = Object.entries(methods) as [MethodKind, readonly string[]][];
  return new Map(kinds.flatMap(([kind, names]) => names.map((name) => [name, kind] as const)));
}

/** Returns stores with the methods that `map` returns. @throws TypeError if a method is missing in METHODS */
export function mapMethods(stores: Stores, map: (method: StoreMethod) => Method): Stores {
  const mapStore = (store: keyof Stores): object => {
    const kinds = kindsOf(METHODS[store]);
    const methods: [string, Method][] = Object.entries(stores[store]);
    return Object.fromEntries(
      methods.map(([name, method]) => {
        const kind = kinds.get(name);
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
