/*
 * The claims of one solved puzzle on PostgreSQL: nodes, a primary, and its synchronous standby.
 * docs/project/model.md explains the model, and lists the code behind each step.
 *
 * The numbers below limit a configuration; `run.ts` sets them and the names of broken variants.
 */
#ifndef NODES
#define NODES 2
#endif
#ifndef BACKENDS /* transactions at the same time, with those that their node has given up */
#define BACKENDS 3
#endif
#ifndef REQUESTS
#define REQUESTS 3
#endif
#ifndef TOKENS /* idempotency keys; with 0, claims are stored in groups */
#define TOKENS 0
#endif
#ifndef MAX_COUNT /* max_replay_count of the property */
#define MAX_COUNT 1
#endif
#ifndef NODE_KILLS
#define NODE_KILLS 0
#endif
#ifndef CRASHES /* of a database server, which then starts again */
#define CRASHES 0
#endif
#ifndef PROMOTIONS
#define PROMOTIONS 0
#endif
#ifndef STANDBY_FAILS /* whether the standby may stop receiving for good */
#define STANDBY_FAILS 0
#endif
#ifndef OLD_PRIMARY_UNSYNCED /* whether the old primary may stop waiting for a standby, once all nodes know the new one */
#define OLD_PRIMARY_UNSYNCED 0
#endif
#ifndef PURGES
#define PURGES 0
#endif
#ifndef LAST_TIME /* the clock of each node runs from 0 to this time */
#define LAST_TIME 0
#endif
#ifndef SET_BACK /* how often a clock is set back */
#define SET_BACK 0
#endif

#define NOBODY 255
#define NONE 255
#define EXPIRES 1
#define SLOTS (TOKENS + 1) /* for arrays; 0 is not a token */
#define MAX(a, b) ((a) > (b) -> (a) : (b))

typedef Database {
  bool isUp;
  bool isWritable;
  bool isFollowing;    /* it receives the log of the other server */
  bool needsStandby;   /* its commits wait for the standby */
  byte timeline;
  byte count;          /* flushed, also while the commit waits for the standby */
  byte purged;         /* the time of the last purge */
  byte number[SLOTS];  /* the table of repeats: the number of each token's claim; 0 if there is none */
#ifdef COMMIT_WITHOUT_FLUSH
  byte onDisk;
#endif
  byte row;            /* the backend that has locked the row of the puzzle */
  byte tokenRow[SLOTS] /* the backends that have locked rows of repeats */
};
Database database[2];

mtype:phase = { FREE, BEGUN, TOKEN_LOCKED, FOUND, INSERTED, MARK_READ, FLUSHED, DONE };
mtype:kind = { GROUP, ONCE, PURGE, MARK_ONLY, REPEAT_ONLY };

/* A transaction on a server. */
typedef Backend {
  mtype:phase phase;
  mtype:kind kind;
  byte owner;          /* the node that waits for it */
  byte on;             /* the server */
  byte timeline;       /* of the server when the node connected */
  byte claims;
  byte token;
  byte first;          /* the number of the first claim */
  byte time;           /* of a purge */
  bool isPurged;
  bool isFirstInsert;  /* whether its row is not visible to others */
  bool isDeleting;
  bool isReplicated
};
Backend backend[BACKENDS];

typedef Node {
  byte clock;
  byte waiting;        /* claims that wait for a connection */
  byte newest;         /* the newest timeline that the node has seen */
  byte connection;     /* the server of the open connection */
  byte timeline;       /* of that server when the connection was opened */
  byte busy            /* the backend of the connection */
};
Node node[NODES];

/* What the properties need. */
byte arrived = 0;
byte ended = 0;
byte presented = 0;    /* distinct presentations: claims, or tokens */
byte successes = 0;
byte told = 0;
byte uses[SLOTS];      /* requests with each token */
byte toldFor[SLOTS];   /* the number that a request with the token got */

/* What may still happen. */
byte nodeKills = NODE_KILLS;
byte crashes = CRASHES;
byte promotions = PROMOTIONS;
byte standbyFails = STANDBY_FAILS;
byte unsynced = OLD_PRIMARY_UNSYNCED;
byte purges = PURGES;
byte setBack = SET_BACK;
bool isQuiet = false;

/* Scratch variables; 0 between steps. */
byte i, k, x;

#define IS_PRIMARY(d) (database[d].isUp && database[d].isWritable)
/* The server that `find` chooses. */
#define IS_NEWEST(d) (IS_PRIMARY(d) && \
  !(IS_PRIMARY(1 - d) && database[1 - d].timeline > database[d].timeline))
#define IS_USABLE(n, d) (IS_NEWEST(d) && database[d].timeline >= node[n].newest)
#define IS_EXPIRED(t) (EXPIRES < (t))

inline freeBackend(b) {
  if
  :: backend[b].owner != NOBODY && backend[b].kind != PURGE && node[backend[b].owner].busy == b ->
    node[backend[b].owner].busy = NOBODY
  :: else
  fi;
  for (k : 0 .. 1) {
    if
    :: database[k].row == b -> database[k].row = NOBODY
    :: else
    fi;
    for (i : 0 .. TOKENS) {
      if
      :: database[k].tokenRow[i] == b -> database[k].tokenRow[i] = NOBODY
      :: else
      fi
    }
  }
  i = 0; k = 0;
  backend[b].phase = FREE; backend[b].kind = GROUP; backend[b].owner = NOBODY; backend[b].on = 0;
  backend[b].timeline = 0; backend[b].claims = 0; backend[b].token = 0; backend[b].first = 0; backend[b].time = 0;
  backend[b].isPurged = false; backend[b].isFirstInsert = false; backend[b].isDeleting = false;
  backend[b].isReplicated = false
}

/* The node stops waiting: the connection was lost, or the time limit was reached. The transaction may still commit. */
inline giveUp(b) {
#ifdef RETRY_WITHOUT_TOKEN
  if
  :: backend[b].kind == GROUP -> node[backend[b].owner].waiting = node[backend[b].owner].waiting + backend[b].claims
  :: else -> ended = ended + backend[b].claims
  fi;
#else
  ended = ended + backend[b].claims;
#endif
  node[backend[b].owner].busy = NOBODY;
  node[backend[b].owner].connection = NONE;
  backend[b].owner = NOBODY
}

/* ---- Nodes ---- */

inline succeed() {
  successes++;
  assert(successes <= MAX_COUNT)
}

inline receive(b) {
  for (i : 1 .. backend[b].claims) {
    ended++;
    x = (backend[b].isPurged -> 0 : backend[b].first + i - 1);
    told = MAX(told, x);
    if
    :: x == 0
    :: else ->
      if
      :: backend[b].token > 0 ->
        /* All requests with a token get the same number. */
        assert(toldFor[backend[b].token] == 0 || toldFor[backend[b].token] == x);
        if
        :: toldFor[backend[b].token] == 0 && x <= MAX_COUNT -> succeed()
        :: else
        fi;
        toldFor[backend[b].token] = x
      :: else ->
        if
        :: x <= MAX_COUNT -> succeed()
        :: else
        fi
      fi
    fi
  }
  i = 0; x = 0
}

inline takeBackend(b, n, which) {
  backend[b].phase = BEGUN;
  backend[b].kind = which;
  backend[b].owner = n;
  backend[b].on = node[n].connection;
  backend[b].timeline = node[n].timeline;
  node[n].busy = b
}

#define IS_CURRENT(n) (node[n].connection != NONE && node[n].timeline >= node[n].newest)

#ifdef NO_TIMELINE_CHECK
#define CAN_SEND(n) (node[n].connection != NONE)
#else
#define CAN_SEND(n) IS_CURRENT(n)
#endif

proctype NodeProcess(byte n) {
  byte b, d;
end:
  do
#if TOKENS == 0
  /* [arrive] */
  :: atomic { arrived < REQUESTS && node[n].clock < EXPIRES -> arrived++; presented++; node[n].waiting++ }
#endif
  /* [connect] */
  :: atomic {
      !IS_CURRENT(n) && node[n].busy == NOBODY && (IS_USABLE(n, 0) || IS_USABLE(n, 1)) ->
      d = (IS_USABLE(n, 0) -> 0 : 1);
      node[n].connection = d;
      node[n].timeline = database[d].timeline;
      node[n].newest = database[d].timeline;
      d = 0
    }
  /* [reject] */
  :: atomic {
      node[n].waiting > 0 && !IS_CURRENT(n) && !IS_USABLE(n, 0) && !IS_USABLE(n, 1) ->
      ended = ended + node[n].waiting; node[n].waiting = 0
    }
#if PROMOTIONS
  /* [check servers] */
  :: atomic {
      (IS_PRIMARY(0) && database[0].timeline > node[n].newest) ||
      (IS_PRIMARY(1) && database[1].timeline > node[n].newest) ->
      node[n].newest = MAX((IS_PRIMARY(0) -> database[0].timeline : 0), (IS_PRIMARY(1) -> database[1].timeline : 0))
    }
#endif
  /* [send group] */
  :: atomic {
      node[n].waiting > 0 && node[n].busy == NOBODY && CAN_SEND(n) ->
      for (b : 0 .. BACKENDS - 1) {
        if
        :: backend[b].phase == FREE -> break
        :: else
        fi
      }
      if
      :: b < BACKENDS ->
        takeBackend(b, n, GROUP);
        backend[b].claims = node[n].waiting;
        node[n].waiting = 0
      :: else -> ended = ended + node[n].waiting; node[n].waiting = 0
      fi;
      b = 0
    }
#if TOKENS
  /* [send once] A request with an idempotency key, which may be the repetition of another one. */
  :: atomic {
      arrived < REQUESTS && node[n].clock < EXPIRES && node[n].busy == NOBODY && IS_CURRENT(n) ->
      arrived++;
      for (b : 0 .. BACKENDS - 1) {
        if
        :: backend[b].phase == FREE -> break
        :: else
        fi
      }
      if
      :: b < BACKENDS ->
        takeBackend(b, n, ONCE);
        backend[b].claims = 1;
        select(d : 1 .. TOKENS);
        backend[b].token = d;
        presented = presented + (uses[d] == 0 -> 1 : 0);
        uses[d] = 1;
        d = 0
      :: else -> ended++
      fi;
      b = 0
    }
#endif
  /* [receive] */
  :: atomic {
      node[n].busy != NOBODY && backend[node[n].busy].phase == DONE ->
      b = node[n].busy;
#if !defined(OLD_ANSWERS) && !defined(NO_TIMELINE_CHECK)
      if
      :: backend[b].timeline < node[n].newest -> giveUp(b)
      :: else -> receive(b)
      fi;
#else
      receive(b);
#endif
      freeBackend(b);
      b = 0
    }
#ifndef NO_TIME_LIMIT
  /* [give up] The connection was lost, or the time limit was reached. */
  :: atomic { node[n].busy != NOBODY -> b = node[n].busy; giveUp(b); b = 0 }
#endif
#if PURGES
  /* [start purge] */
  :: atomic {
      purges > 0 && IS_CURRENT(n) && EXPIRES < node[n].clock && backend[BACKENDS - 1].phase == FREE ->
      purges--;
      backend[BACKENDS - 1].phase = BEGUN;
      backend[BACKENDS - 1].kind = PURGE;
      backend[BACKENDS - 1].on = node[n].connection;
      backend[BACKENDS - 1].time = node[n].clock
    }
#endif
#if LAST_TIME
  /* [pass time] */
  :: atomic { node[n].clock < LAST_TIME -> node[n].clock++ }
  /* [set clock back] */
  :: atomic { !isQuiet && setBack > 0 && node[n].clock > 0 -> setBack--; node[n].clock = 0 }
#endif
  od
}

/* ---- PostgreSQL ---- */

#define ON database[backend[b].on]

inline insert(b) {
  ON.row = b;
  backend[b].first = ON.count + 1;
  backend[b].isFirstInsert = (ON.count == 0)
}

/* The row of a puzzle that only an unfinished transaction has inserted is not visible. */
#define IS_ROW_VISIBLE (ON.count > 0 && !(ON.row != NOBODY && backend[ON.row].isFirstInsert))

inline flush(b) {
  backend[b].phase = FLUSHED;
  if
  :: backend[b].kind == GROUP || backend[b].kind == ONCE ->
    ON.count = ON.count + backend[b].claims;
#ifndef REPEAT_IN_OTHER_TRANSACTION
    if
    :: backend[b].token > 0 -> ON.number[backend[b].token] = backend[b].first
    :: else
    fi;
#endif
    assert(ON.count <= presented)
  :: backend[b].kind == REPEAT_ONLY -> ON.number[backend[b].token] = backend[b].first
  :: backend[b].kind == PURGE || backend[b].kind == MARK_ONLY ->
    if
    :: backend[b].isDeleting -> ON.count = 0
    :: else
    fi;
#if !defined(PURGE_WITHOUT_MARK) && !defined(MARK_IN_OTHER_TRANSACTION)
    ON.purged = MAX(ON.purged, backend[b].time)
#else
    if
    :: backend[b].kind == MARK_ONLY -> ON.purged = MAX(ON.purged, backend[b].time)
    :: else
    fi
#endif
  fi
}

inline release(b) {
  for (i : 0 .. TOKENS) {
    if
    :: ON.tokenRow[i] == b -> ON.tokenRow[i] = NOBODY
    :: else
    fi
  }
  i = 0;
  if
  :: ON.row == b -> ON.row = NOBODY
  :: else
  fi
}

proctype BackendProcess(byte b) {
end:
  do
  /* [insert] Waits for other transactions with the same puzzle. */
#ifndef MARK_READ_FIRST
  :: atomic {
      backend[b].phase == BEGUN && backend[b].kind == GROUP && ON.row == NOBODY ->
      insert(b); backend[b].phase = INSERTED
    }
#endif
  /* [read purges] */
  :: atomic {
      backend[b].phase == INSERTED && backend[b].kind != PURGE ->
#ifndef MARK_READ_FIRST
      backend[b].isPurged = IS_EXPIRED(ON.purged);
#endif
      backend[b].phase = MARK_READ
    }
#ifdef MARK_READ_FIRST
  :: atomic {
      backend[b].phase == BEGUN && backend[b].kind == GROUP ->
      backend[b].isPurged = IS_EXPIRED(ON.purged); backend[b].phase = FOUND
    }
  :: atomic {
      backend[b].phase == FOUND && backend[b].kind == GROUP && ON.row == NOBODY ->
      insert(b); backend[b].phase = INSERTED
    }
#endif
  /* [flush] */
  :: atomic { backend[b].phase == MARK_READ && !(backend[b].kind == ONCE && backend[b].isPurged) -> flush(b) }
#if TOKENS
  /* [recall] */
  :: atomic {
      backend[b].phase == BEGUN && backend[b].kind == ONCE && ON.tokenRow[backend[b].token] == NOBODY &&
      ON.number[backend[b].token] > 0 ->
      backend[b].first = ON.number[backend[b].token];
#ifdef RECALL_WITHOUT_WAIT
      backend[b].phase = DONE
#else
      ON.tokenRow[backend[b].token] = b;
      backend[b].phase = FLUSHED
#endif
    }
  /* [lock token] */
  :: atomic {
      backend[b].phase == BEGUN && backend[b].kind == ONCE && ON.tokenRow[backend[b].token] == NOBODY ->
      ON.tokenRow[backend[b].token] = b; backend[b].phase = TOKEN_LOCKED
    }
  /* [find token] Its row was written, so the commit waits for the standby also if nothing is counted. */
  :: atomic {
      backend[b].phase == TOKEN_LOCKED ->
      if
      :: ON.number[backend[b].token] > 0 ->
        backend[b].first = ON.number[backend[b].token];
        backend[b].phase = FLUSHED
      :: else -> backend[b].phase = FOUND
      fi
    }
  /* [insert once] */
  :: atomic {
      backend[b].phase == FOUND && backend[b].kind == ONCE && ON.row == NOBODY ->
      insert(b); backend[b].phase = INSERTED
    }
  /* [undo purged] */
  :: atomic {
      backend[b].phase == MARK_READ && backend[b].kind == ONCE && backend[b].isPurged ->
      release(b); backend[b].phase = DONE
    }
#endif
#if PURGES
  /* [delete expired] Only claims that the purge can see. */
  :: atomic {
      backend[b].phase == BEGUN && backend[b].kind == PURGE && (!IS_ROW_VISIBLE || ON.row == NOBODY) ->
      if
      :: IS_ROW_VISIBLE -> ON.row = b; backend[b].isDeleting = true
      :: else
      fi;
      backend[b].phase = INSERTED
    }
  /* [commit purge] */
  :: atomic { backend[b].phase == INSERTED && backend[b].kind == PURGE -> flush(b) }
#endif
  /* [confirm] A commit waits for the standby, and then releases its locks. */
  :: atomic {
      backend[b].phase == FLUSHED && (!ON.needsStandby || backend[b].isReplicated) ->
      release(b);
      backend[b].isFirstInsert = false;
      backend[b].isReplicated = false;
      if
#ifdef MARK_IN_OTHER_TRANSACTION
      :: backend[b].kind == PURGE ->
        backend[b].kind = MARK_ONLY; backend[b].isDeleting = false; backend[b].phase = MARK_READ
#endif
#ifdef REPEAT_IN_OTHER_TRANSACTION
      :: backend[b].kind == ONCE -> backend[b].kind = REPEAT_ONLY; backend[b].phase = MARK_READ
#endif
      :: else -> backend[b].phase = DONE
      fi
    }
  /* [end transaction] No node waits for it: it ends with or without a commit. */
  :: atomic {
      backend[b].owner == NOBODY && backend[b].phase != FREE && backend[b].phase != FLUSHED -> freeBackend(b)
    }
  od
}

/* ---- Faults ---- */

/* The connections to a server are lost. */
inline disconnect(d) {
  for (x : 0 .. BACKENDS - 1) {
    if
    :: backend[x].phase != FREE && backend[x].on == d ->
      if
      :: backend[x].owner != NOBODY -> giveUp(x)
      :: else
      fi;
      freeBackend(x)
    :: else
    fi
  }
  for (x : 0 .. NODES - 1) {
    if
    :: node[x].connection == d -> node[x].connection = NONE
    :: else
    fi
  }
  x = 0
}

/* A server that takes over has every claim whose request got its verdict. */
inline checkSurvival(d) {
  assert(database[d].count >= told || IS_EXPIRED(database[d].purged))
}

inline copyData(from, to) {
  database[to].count = database[from].count;
  database[to].purged = database[from].purged;
  for (i : 0 .. TOKENS) { database[to].number[i] = database[from].number[i] }
  i = 0
}

#define IS_NEW(b, d) (b < BACKENDS && backend[b].phase == FLUSHED && backend[b].on == d && !backend[b].isReplicated)
#define HAS_NEWS(d) (database[d].count != database[1 - d].count || database[d].purged != database[1 - d].purged || \
  IS_NEW(0, d) || IS_NEW(1, d) || IS_NEW(2, d))

inline receiveLog(to) {
  copyData(1 - to, to);
  for (x : 0 .. BACKENDS - 1) {
    if
    :: backend[x].phase == FLUSHED && backend[x].on == 1 - to -> backend[x].isReplicated = true
    :: else
    fi
  }
  x = 0
}

#if NODES == 1
#define DO_ALL_KNOW(d) (node[0].newest >= database[d].timeline)
#else
#define DO_ALL_KNOW(d) (node[0].newest >= database[d].timeline && node[1].newest >= database[d].timeline)
#endif

#define IS_REPLACED(d) (database[d].timeline < database[1 - d].timeline && IS_PRIMARY(1 - d))

#ifdef UNSYNCED_EARLY
#define MAY_CLEAR true
#else
#define MAY_CLEAR DO_ALL_KNOW(1)
#endif

active proctype Environment() {
  byte n, d;
  atomic {
    for (d : 0 .. 1) {
      database[d].isUp = true;
      database[d].timeline = 1;
      database[d].row = NOBODY;
      for (n : 0 .. TOKENS) { database[d].tokenRow[n] = NOBODY }
    }
    database[0].isWritable = true;
#if !defined(ASYNCHRONOUS_STANDBY) && !defined(COMMIT_WITHOUT_FLUSH)
    database[0].needsStandby = true;
#endif
    database[1].isFollowing = true;
    for (n : 0 .. BACKENDS - 1) { backend[n].phase = FREE; backend[n].kind = GROUP; backend[n].owner = NOBODY }
    for (n : 0 .. NODES - 1) { node[n].connection = NONE; node[n].busy = NOBODY }
    for (n : 0 .. NODES - 1) { run NodeProcess(n) }
    for (n : 0 .. BACKENDS - 1) { run BackendProcess(n) }
    n = 0; d = 0
  }
end:
  do
  :: atomic { !isQuiet -> isQuiet = true }
  /* [receive log] */
  :: atomic { database[1].isFollowing && database[0].isUp && HAS_NEWS(0) -> receiveLog(1) }
#if PROMOTIONS > 1
  :: atomic { database[0].isFollowing && database[1].isUp && HAS_NEWS(1) -> receiveLog(0) }
#endif
#if NODE_KILLS
  /* [kill node] */
  :: atomic {
      !isQuiet && nodeKills > 0 -> nodeKills--;
      select(n : 0 .. NODES - 1);
      if
      :: node[n].busy != NOBODY -> d = node[n].busy; giveUp(d); d = 0
      :: else
      fi;
      ended = ended + node[n].waiting;
      node[n].waiting = 0; node[n].connection = NONE; node[n].timeline = 0; node[n].newest = 0;
      n = 0
    }
#endif
#if CRASHES
  /* [crash] */
  :: atomic {
      !isQuiet && crashes > 0 && (IS_PRIMARY(0) || IS_PRIMARY(1)) -> crashes--;
      if
      :: IS_PRIMARY(0) -> d = 0
      :: IS_PRIMARY(1) -> d = 1
      fi;
      disconnect(d);
      database[d].isUp = false;
#ifdef COMMIT_WITHOUT_FLUSH
      database[d].count = database[d].onDisk;
#endif
      d = 0
    }
  /* [restart] */
  :: atomic {
      !database[0].isUp || !database[1].isUp ->
      if
      :: !database[0].isUp -> d = 0
      :: !database[1].isUp -> d = 1
      fi;
      database[d].isUp = true;
      if
      :: !IS_REPLACED(d) -> checkSurvival(d)
      :: else
      fi;
      d = 0
    }
#endif
#ifdef COMMIT_WITHOUT_FLUSH
  :: atomic { database[0].onDisk != database[0].count -> database[0].onDisk = database[0].count }
#endif
#if STANDBY_FAILS
  /* [lose standby] */
  :: atomic { !isQuiet && standbyFails > 0 && database[1].isFollowing -> standbyFails--; database[1].isFollowing = false }
#endif
#if PROMOTIONS
  /* [promote] The old primary may still run. */
  :: atomic {
      !isQuiet && promotions > 0 && (database[0].isFollowing || database[1].isFollowing) -> promotions--;
      d = (database[0].isFollowing -> 0 : 1);
      database[d].isFollowing = false;
      database[d].isWritable = true;
      database[d].needsStandby = false;
      database[d].timeline = database[1 - d].timeline + 1;
      checkSurvival(d);
      d = 0
    }
#endif
#if PROMOTIONS > 1
  /* [rejoin] */
  :: atomic {
      !isQuiet && (IS_REPLACED(0) || IS_REPLACED(1)) ->
      d = (IS_REPLACED(0) -> 0 : 1);
      disconnect(d);
      copyData(1 - d, d);
      database[d].isUp = true;
      database[d].isWritable = false;
      database[d].isFollowing = true;
      database[d].needsStandby = false;
      database[d].timeline = database[1 - d].timeline;
      database[1 - d].needsStandby = true;
      d = 0
    }
#endif
#if OLD_PRIMARY_UNSYNCED
  /* [clear standby names] On the old primary. */
  :: atomic {
      !isQuiet && unsynced > 0 && IS_REPLACED(0) && database[0].needsStandby && MAY_CLEAR ->
      unsynced--; database[0].needsStandby = false
    }
#endif
#ifndef LIVENESS
  /* Every request ends. */
  :: timeout -> assert(ended == arrived); break
#endif
  od
}

#ifdef LIVENESS
ltl everyRequestEnds { <> [] (ended == arrived) }
#endif
