/*
 * The claims of solved puzzles on SQLite: servers of one data folder, each with request threads and a ledger thread.
 * docs/project/model.md explains the model, and lists the code behind each step.
 *
 * The numbers below limit a configuration; `run.ts` sets them and the names of broken variants.
 */
#ifndef SERVERS
#define SERVERS 1
#endif
#ifndef THREADS /* request threads of each server */
#define THREADS 1
#endif
#ifndef PUZZLES /* the second one is issued while the model runs */
#define PUZZLES 1
#endif
#ifndef REQUESTS
#define REQUESTS 3
#endif
#ifndef MAX_COUNT /* max_replay_count of the property */
#define MAX_COUNT 1
#endif
#ifndef INVALID /* requests with wrong solutions of a puzzle */
#define INVALID 0
#endif
#ifndef DEADLINES /* whether a request may reach its deadline */
#define DEADLINES 0
#endif
#ifndef KILLS
#define KILLS 0
#endif
#ifndef POWER_FAILURES
#define POWER_FAILURES 0
#endif
#ifndef STOPS
#define STOPS 0
#endif
#ifndef DISK_ERRORS
#define DISK_ERRORS 0
#endif
#ifndef THREAD_ENDS
#define THREAD_ENDS 0
#endif
#ifndef HANGS
#define HANGS 0
#endif
#ifndef PURGES
#define PURGES 0
#endif
#ifndef LAST_TIME /* the clock runs from 0 to this time */
#define LAST_TIME 0
#endif
#ifndef SET_BACK /* how often the clock is set back */
#define SET_BACK 0
#endif
#ifndef COUNTS /* how often servers raise the counter of the data, besides their starts */
#define COUNTS 0
#endif
#ifndef PUT_BACK /* how often an older copy of files replaces the newer ones */
#define PUT_BACK 0
#endif
#ifndef DELETED /* how often the claims file is deleted */
#define DELETED 0
#endif
#ifndef LOST_LOGS /* how often the write-ahead log is deleted */
#define LOST_LOGS 0
#endif
#ifndef RESTORES /* how often `postern restore` runs */
#define RESTORES 0
#endif

#define KEYS 6
#define NEVER 255 /* LATEST_EXPIRATION: no puzzle expires later */
#define NOBODY 255
#define FULL_GROUP 2
#define ALL_THREADS (SERVERS * THREADS)
#define SERVER_OF(t) ((t) / THREADS)
#define MAX(a, b) ((a) > (b) -> (a) : (b))

/* Contents of the claims file. */
typedef Claims {
  byte count[PUZZLES];
  byte purged[KEYS]; /* the time of the last purge for each signing key */
  byte counter;
  bit isOwn;  /* whether it has the identity that the main database knows */
  bit isOpen; /* whether a server uses the file, or was killed */
  bit isLost  /* whether claims are missing, and earlier puzzles are not rejected yet */
};

/* Views of the claims file: what connections read, what a power failure leaves, without the log, and an older copy. */
#define SEEN 0
#define DISK 1
#define FILE 2
#define COPY 3
Claims view[4];
bool hasLog = false;
byte writer = NOBODY; /* the server that holds SQLite's write lock */

/* The main database. Each write is one durable step. */
byte keys = 1; /* bit k: the key k is stored */
byte signer = 0;
byte lastKey = 0;
byte mainCounter = 0;
/* The file outside of the data folder. */
byte mark = 0;

/* An older copy of the main database, and whether a server has counted since the copy. */
byte copiedKeys = 0;
byte copiedSigner = 0;
byte copiedCounter = 0;
bool hasCopy = false;
bool isCopyOld = false;
bool isRestoring = false; /* the file `restore-unfinished` exists */
bool isTampered = false;

byte clock = 0;
bool isIssued[PUZZLES];
byte keyOf[PUZZLES];
byte expires[PUZZLES];

mtype:phase = { OFF, MARK_READ, MAIN_READ, OPENED, UNSAFE, REJECTED, COUNTING, SERVING };
mtype:write = { NONE, BEGUN, WRITTEN, COMMITTED };
mtype:raise = { IDLE, IN_CLAIMS, IN_MAIN, IN_MARK };

typedef Server {
  mtype:phase phase;
  mtype:write write;    /* the transaction with claims */
  mtype:raise raising;  /* the next place of the counter */
  byte value;           /* the counter that is being raised */
  bool isAfterCopy;     /* whether it began after the copy */
  byte markRead;
  byte mainRead;
  byte claimsRead;
  bool isLost;
  bool hasThread;       /* whether the ledger thread runs */
  bool isHung;          /* whether its disk never answers */
  byte added[PUZZLES];  /* claims of the transaction */
  byte next[PUZZLES];   /* counts after the transaction */
  byte cache[PUZZLES]   /* the replay cache of all request threads */
};
Server server[SERVERS];

mtype:box = { EMPTY, SENT, TAKEN, COUNTED, FAILED };

/* A request thread. Its claims of a puzzle differ only in whether their requests have reached the deadline. */
typedef Thread {
  byte gathered[PUZZLES];
  byte gatheredLate[PUZZLES];
  bool isScheduled;     /* whether the end of the iteration sends the gathered claims */
  mtype:box box;        /* the group that has no answer yet */
  byte sent[PUZZLES];
  byte sentLate[PUZZLES];
  byte first[PUZZLES]   /* the number of the group's first claim; 0 if its claims may have been purged */
};
Thread thread[ALL_THREADS];

/* What the properties need. */
byte arrived = 0;
byte ended = 0;
byte successes[PUZZLES];
byte valid[PUZZLES];  /* claims of requests with correct solutions */
byte told[PUZZLES];   /* the highest number of a claim whose request got its verdict */

/* What may still happen. */
byte invalid = INVALID;
byte kills = KILLS;
byte powerFailures = POWER_FAILURES;
byte stops = STOPS;
byte diskErrors = DISK_ERRORS;
byte threadEnds = THREAD_ENDS;
byte hangs = HANGS;
byte purges = PURGES;
byte setBack = SET_BACK;
byte counts = COUNTS;
byte putBack = PUT_BACK;
byte deleted = DELETED;
byte lostLogs = LOST_LOGS;
byte restores = RESTORES;
bool isQuiet = false; /* no more faults */

/* Scratch variables; 0 between steps. */
byte q, k, t2, i, total;

inline copyView(from, to) {
  d_step {
    for (q : 0 .. PUZZLES - 1) { view[to].count[q] = view[from].count[q] }
    for (k : 0 .. KEYS - 1) { view[to].purged[k] = view[from].purged[k] }
    view[to].counter = view[from].counter;
    view[to].isOwn = view[from].isOwn;
    view[to].isOpen = view[from].isOpen;
    view[to].isLost = view[from].isLost;
    q = 0; k = 0
  }
}

#define IS_ACCEPTABLE(p) \
  (isIssued[p] && (keys & (1 << keyOf[p])) && expires[p] >= view[SEEN].purged[keyOf[p]])

/* An acknowledged claim survives: the ledger counts on from it, or rejects the puzzle. */
inline checkSurvival() {
  for (q : 0 .. PUZZLES - 1) { assert(!IS_ACCEPTABLE(q) || view[SEEN].count[q] >= told[q]) }
  q = 0
}

/* ---- Request threads ---- */

#define IS_SERVING(s) (server[s].phase == SERVING)

inline countGathered(t) {
  total = 0;
  for (q : 0 .. PUZZLES - 1) { total = total + thread[t].gathered[q] }
  q = 0
}

inline send(t) {
  countGathered(t);
  if
  :: total == 0
  :: else ->
    for (q : 0 .. PUZZLES - 1) {
      thread[t].sent[q] = thread[t].gathered[q];
      thread[t].sentLate[q] = thread[t].gatheredLate[q];
      thread[t].gathered[q] = 0;
      thread[t].gatheredLate[q] = 0
    }
    q = 0;
    if
    :: server[SERVER_OF(t)].hasThread -> thread[t].box = SENT
    :: else -> thread[t].box = FAILED
    fi
  fi;
  total = 0
}

inline gather(t, p) {
  thread[t].gathered[p]++;
  countGathered(t);
  if
  :: thread[t].box != EMPTY
  :: else ->
    if
    :: total >= FULL_GROUP -> send(t)
    :: else -> thread[t].isScheduled = true
    fi
  fi;
  total = 0
}

inline succeed(p) {
  successes[p]++;
  assert(successes[p] <= MAX_COUNT)
}

inline arrive(t) {
  arrived++;
  if
  :: p = 0
#if PUZZLES > 1
  :: isIssued[1] -> p = 1
#endif
  fi;
  if
  :: !(keys & (1 << keyOf[p])) -> ended++
  :: (keys & (1 << keyOf[p])) && clock >= expires[p] -> ended++
  :: (keys & (1 << keyOf[p])) && clock < expires[p] ->
    if
    /* The cache can evict a puzzle at any time. */
    :: server[SERVER_OF(t)].cache[p] >= MAX_COUNT -> ended++
    :: valid[p]++; gather(t, p)
#ifdef CACHE_ACCEPTS
    :: server[SERVER_OF(t)].cache[p] > 0 && server[SERVER_OF(t)].cache[p] < MAX_COUNT ->
      server[SERVER_OF(t)].cache[p]++;
      ended++;
      succeed(p)
#endif
    :: invalid > 0 ->
      invalid--;
#ifdef CLAIM_BEFORE_CHECK
      gather(t, p)
#else
      ended++
#endif
    fi
  fi;
  p = 0
}

/* Numbers that belong to requests whose deadline has passed are not used. */
inline settle(t) {
  for (p : 0 .. PUZZLES - 1) {
    i = 0;
    do
    :: i < thread[t].sent[p] ->
      if
      :: thread[t].sentLate[p] > 0 -> thread[t].sentLate[p]--
      :: thread[t].sentLate[p] < thread[t].sent[p] - i ->
        ended++;
        if
        :: thread[t].box == FAILED || thread[t].first[p] == 0
        :: else ->
          total = thread[t].first[p] + i;
          server[SERVER_OF(t)].cache[p] = MAX(server[SERVER_OF(t)].cache[p], total);
          told[p] = MAX(told[p], total);
          if
          :: total <= MAX_COUNT -> succeed(p)
          :: else
          fi
        fi
      fi;
      i++
    :: else -> break
    od;
    thread[t].sent[p] = 0;
    thread[t].sentLate[p] = 0;
    thread[t].first[p] = 0
  }
  i = 0; p = 0;
  thread[t].box = EMPTY;
#ifndef LOST_WAKE_UP
  countGathered(t);
  if
  :: total > 0 -> thread[t].isScheduled = true
  :: else
  fi;
#endif
  total = 0
}

proctype RequestThread(byte t) {
  byte p;
end:
  do
  /* [arrive] */
  :: atomic { IS_SERVING(SERVER_OF(t)) && arrived < REQUESTS -> arrive(t) }
  /* [end of the iteration] */
  :: atomic {
      thread[t].isScheduled ->
      thread[t].isScheduled = false;
      if
      :: thread[t].box == EMPTY -> send(t)
      :: else
      fi
    }
  /* [settle] */
  :: atomic { thread[t].box == COUNTED || thread[t].box == FAILED -> settle(t) }
#if DEADLINES && !defined(NO_DEADLINE)
  /* [deadline] Of a request whose claim is gathered, or in a group without an answer. */
  :: atomic { thread[t].gatheredLate[0] < thread[t].gathered[0] -> thread[t].gatheredLate[0]++; ended++ }
  :: atomic {
      thread[t].box != EMPTY && thread[t].sentLate[0] < thread[t].sent[0] ->
      thread[t].sentLate[0]++; ended++
    }
#endif
  od
}

/* ---- The ledger thread ---- */

#define IS_LEDGER_FREE(s) \
  (server[s].hasThread && !server[s].isHung && server[s].write == NONE && writer == NOBODY)

#ifdef NO_WRITE_LOCK
#define CAN_BEGIN(s) (server[s].hasThread && !server[s].isHung && server[s].write == NONE)
#else
#define CAN_BEGIN(s) IS_LEDGER_FREE(s)
#endif

#define HAS_SENT(s) (thread[s * THREADS].box == SENT || thread[s * THREADS + THREADS - 1].box == SENT)

/* Reads the counts, and numbers the claims of all groups that have arrived. */
inline begin(s) {
  server[s].write = BEGUN;
  writer = s;
  for (p : 0 .. PUZZLES - 1) { server[s].next[p] = view[SEEN].count[p] }
  for (t2 : s * THREADS .. s * THREADS + THREADS - 1) {
    if
    :: thread[t2].box == SENT ->
      thread[t2].box = TAKEN;
      for (p : 0 .. PUZZLES - 1) {
        if
        :: thread[t2].sent[p] > 0 && expires[p] >= view[SEEN].purged[keyOf[p]] ->
          thread[t2].first[p] = server[s].next[p] + 1;
          server[s].next[p] = server[s].next[p] + thread[t2].sent[p];
          server[s].added[p] = server[s].added[p] + thread[t2].sent[p]
        :: else -> thread[t2].first[p] = 0
        fi
      }
    :: else
    fi
  }
  t2 = 0; p = 0
}

inline clearWrite(s) {
  for (q : 0 .. PUZZLES - 1) { server[s].added[q] = 0; server[s].next[q] = 0 }
  q = 0;
  server[s].write = NONE;
  if
  :: writer == s -> writer = NOBODY
  :: else
  fi
}

inline publish(s) {
  for (q : 0 .. PUZZLES - 1) {
    if
    :: server[s].added[q] > 0 -> view[SEEN].count[q] = server[s].next[q]
    :: else
    fi
  }
  q = 0
}

/* A transaction that has been written may be found in the log after its process has ended. */
inline abandon(s) {
  if
  :: server[s].write == WRITTEN -> publish(s); copyView(SEEN, DISK)
  :: true
  fi;
  clearWrite(s)
}

inline answer(s, result) {
  for (t2 : s * THREADS .. s * THREADS + THREADS - 1) {
    if
    :: thread[t2].box == TAKEN -> thread[t2].box = result
    :: else
    fi
  }
  t2 = 0
}

inline countPresentations() {
  for (q : 0 .. PUZZLES - 1) { assert(view[SEEN].count[q] <= valid[q]) }
  q = 0
}

inline purge(all) {
  for (k : 0 .. KEYS - 1) {
    if
    :: keys & (1 << k) ->
#ifndef PURGE_WITHOUT_MARK
      view[SEEN].purged[k] = MAX(view[SEEN].purged[k], (all -> NEVER : clock));
#endif
      skip
    :: else -> view[SEEN].purged[k] = 0
    fi
  }
  for (q : 0 .. PUZZLES - 1) {
    if
    :: all || expires[q] < clock -> view[SEEN].count[q] = 0
    :: else
    fi
  }
  k = 0; q = 0;
  copyView(SEEN, DISK)
}

/* ---- Starting, and the counter of the data ---- */

inline addKey() {
  lastKey++;
  assert(lastKey < KEYS);
  signer = lastKey;
  keys = keys | (1 << lastKey)
}

inline openClaims(s) {
  server[s].isLost = !view[SEEN].isOwn;
#ifndef NO_LOG_CHECK
  server[s].isLost = server[s].isLost || (view[SEEN].isOpen && !hasLog);
#endif
#ifndef LOSS_FORGOTTEN
  server[s].isLost = server[s].isLost || view[SEEN].isLost;
#endif
  view[SEEN].isLost = server[s].isLost;
  view[SEEN].isOwn = true;
  view[SEEN].isOpen = true;
  hasLog = true;
  copyView(SEEN, DISK);
#if LOST_LOGS
  copyView(SEEN, FILE);
#endif
  server[s].claimsRead = view[SEEN].counter
}

inline startCounting(s) {
#ifdef MAIN_COUNTER_FIRST
  server[s].raising = IN_MAIN;
#else
  server[s].raising = IN_CLAIMS;
#endif
  /* The time, which is later than every counter. */
  server[s].value = MAX(MAX(server[s].value, mainCounter), view[SEEN].counter) + 1;
  server[s].isAfterCopy = hasCopy
}

inline compare(s) {
#ifdef NO_COUNTERS
  total = server[s].isLost;
#else
  total = server[s].isLost || server[s].claimsRead < server[s].mainRead || server[s].claimsRead < server[s].markRead;
#endif
  assert(isTampered || !total); /* A killed server is never mistaken for older files. */
  server[s].value = MAX(MAX(server[s].markRead, server[s].mainRead), server[s].claimsRead);
  server[s].markRead = 0;
  server[s].mainRead = 0;
  server[s].claimsRead = 0;
  server[s].isLost = false;
  if
  :: total ->
#ifdef COUNT_BEFORE_REJECT
    startCounting(s);
#endif
    server[s].phase = UNSAFE
  :: else -> startCounting(s); server[s].phase = COUNTING
  fi;
  total = 0
}

inline raiseInClaims(s) {
  view[SEEN].counter = MAX(view[SEEN].counter, server[s].value);
  view[SEEN].isLost = false;
  copyView(SEEN, DISK);
#ifdef MAIN_COUNTER_FIRST
  server[s].raising = IN_MARK;
#else
  server[s].raising = IN_MAIN;
#endif
}

inline raiseInMain(s) {
  mainCounter = MAX(mainCounter, server[s].value);
#ifdef MAIN_COUNTER_FIRST
  server[s].raising = IN_CLAIMS;
#else
  server[s].raising = IN_MARK;
#endif
}

#ifdef COUNT_BEFORE_REJECT
#define MAY_REJECT(s) (server[s].raising == IN_MARK)
#else
#define MAY_REJECT(s) true
#endif

proctype ServerProcess(byte s) {
  byte p;
end:
  do
  /* [read mark] */
  :: atomic { server[s].phase == OFF && !isRestoring -> server[s].markRead = mark; server[s].phase = MARK_READ }
  /* [read main counter] */
  :: atomic { server[s].phase == MARK_READ -> server[s].mainRead = mainCounter; server[s].phase = MAIN_READ }
  /* [open claims] */
  :: atomic { server[s].phase == MAIN_READ && writer == NOBODY -> openClaims(s); server[s].phase = OPENED }
  /* [compare] */
  :: atomic { server[s].phase == OPENED -> compare(s) }
  /* [reject puzzles] */
  :: atomic {
      server[s].phase == UNSAFE && writer == NOBODY && MAY_REJECT(s) -> purge(true); server[s].phase = REJECTED
    }
  /* [replace key] */
  :: atomic {
      server[s].phase == REJECTED ->
      addKey(); startCounting(s); server[s].phase = COUNTING
    }
  /* [raise claims counter] */
  :: atomic { server[s].raising == IN_CLAIMS && server[s].hasThread && writer == NOBODY -> raiseInClaims(s) }
  /* [raise main counter] */
  :: atomic { server[s].raising == IN_MAIN -> raiseInMain(s) }
  /* [serve] */
  :: atomic {
      server[s].phase == COUNTING && server[s].raising == IN_MARK ->
      server[s].phase = SERVING;
      checkSurvival()
    }
  /* [write mark] */
  :: atomic {
      IS_SERVING(s) && server[s].raising == IN_MARK ->
      mark = MAX(mark, server[s].value);
      isCopyOld = isCopyOld || server[s].isAfterCopy;
      server[s].value = 0; server[s].isAfterCopy = false; server[s].raising = IDLE
    }
  /* [start counting] */
  :: atomic { IS_SERVING(s) && server[s].raising == IDLE && counts > 0 -> counts--; startCounting(s) }
  /* [begin] */
  :: atomic { IS_SERVING(s) && CAN_BEGIN(s) && HAS_SENT(s) -> begin(s) }
  /* [write] */
  :: atomic { server[s].write == BEGUN && !server[s].isHung -> server[s].write = WRITTEN }
  /* [commit] */
  :: atomic {
      server[s].write == WRITTEN && !server[s].isHung ->
      publish(s);
#ifndef NO_FSYNC
      copyView(SEEN, DISK);
#endif
      clearWrite(s);
      server[s].write = COMMITTED;
      countPresentations()
    }
  /* [answer] */
  :: atomic { server[s].write == COMMITTED -> answer(s, COUNTED); server[s].write = NONE }
  /* [fail] */
  :: atomic {
      (server[s].write == BEGUN || server[s].write == WRITTEN) && diskErrors > 0 && !server[s].isHung ->
      diskErrors--; abandon(s); answer(s, FAILED)
    }
#ifdef NO_FSYNC
  /* The system writes its buffers. */
  :: atomic { IS_SERVING(s) && view[DISK].count[0] != view[SEEN].count[0] -> copyView(SEEN, DISK) }
#endif
  /* [purge] */
  :: atomic {
      IS_SERVING(s) && IS_LEDGER_FREE(s) && purges > 0 -> purges--; purge(false); checkSurvival()
    }
  /* [end thread] */
  :: atomic {
      IS_SERVING(s) && server[s].hasThread && threadEnds > 0 && (!isQuiet || threadEnds == 255) ->
      threadEnds = (threadEnds == 255 -> 255 : threadEnds - 1);
      abandon(s);
      server[s].hasThread = false;
      server[s].isHung = false;
      for (t2 : s * THREADS .. s * THREADS + THREADS - 1) {
        if
        :: thread[t2].box == SENT || thread[t2].box == TAKEN ->
#ifdef UNANSWERED_AFTER_END
          thread[t2].box = TAKEN
#else
          thread[t2].box = FAILED
#endif
        :: else
        fi
      }
      t2 = 0
    }
  /* [replace thread] */
  :: atomic { IS_SERVING(s) && !server[s].hasThread -> server[s].hasThread = true }
  od
}

/* ---- Faults ---- */

inline endServer(s) {
  abandon(s);
  server[s].phase = OFF;
  server[s].raising = IDLE;
  server[s].value = 0;
  server[s].isAfterCopy = false;
  server[s].markRead = 0;
  server[s].mainRead = 0;
  server[s].claimsRead = 0;
  server[s].isLost = false;
  server[s].hasThread = true;
  server[s].isHung = false;
  for (q : 0 .. PUZZLES - 1) { server[s].cache[q] = 0 }
  for (t2 : s * THREADS .. s * THREADS + THREADS - 1) {
    for (q : 0 .. PUZZLES - 1) {
      ended = ended + thread[t2].gathered[q] - thread[t2].gatheredLate[q];
      ended = ended + thread[t2].sent[q] - thread[t2].sentLate[q];
      thread[t2].gathered[q] = 0;
      thread[t2].gatheredLate[q] = 0;
      thread[t2].sent[q] = 0;
      thread[t2].sentLate[q] = 0;
      thread[t2].first[q] = 0
    }
    thread[t2].isScheduled = false;
    thread[t2].box = EMPTY
  }
  q = 0; t2 = 0
}

inline putClaimsBack() {
  copyView(COPY, SEEN);
  copyView(COPY, DISK);
#if LOST_LOGS
  copyView(COPY, FILE);
#endif
  hasLog = view[COPY].isOpen
}

#define IS_IDLE(s) (server[s].write == NONE && server[s].raising == IDLE && \
  (arrived == ended))
#if SERVERS == 1
#define ARE_ALL_OFF (server[0].phase == OFF)
#else
#define ARE_ALL_OFF (server[0].phase == OFF && server[1].phase == OFF)
#endif

active proctype Environment() {
  byte s;
  atomic {
    for (s : 0 .. SERVERS - 1) {
      server[s].phase = OFF; server[s].write = NONE; server[s].raising = IDLE; server[s].hasThread = true
    }
    for (s : 0 .. ALL_THREADS - 1) { thread[s].box = EMPTY }
    view[SEEN].isOwn = true;
    view[DISK].isOwn = true;
    view[FILE].isOwn = true;
    isIssued[0] = true;
    expires[0] = 1;
    for (s : 0 .. SERVERS - 1) { run ServerProcess(s) }
    for (s : 0 .. ALL_THREADS - 1) { run RequestThread(s) }
    s = 0
  }
end:
  do
  :: atomic { !isQuiet -> isQuiet = true }
#if KILLS
  /* [kill] */
  :: atomic {
      !isQuiet && kills > 0 -> kills--;
      select(s : 0 .. SERVERS - 1);
      if
      :: server[s].phase != OFF -> endServer(s)
      :: else
      fi;
      s = 0
    }
#endif
#if POWER_FAILURES
  /* [power failure] */
  :: atomic {
      !isQuiet && powerFailures > 0 -> powerFailures--;
      for (s : 0 .. SERVERS - 1) { endServer(s) }
      s = 0;
      copyView(DISK, SEEN)
    }
#endif
#if STOPS
  /* [stop] */
  :: atomic {
      !isQuiet && stops > 0 && IS_SERVING(0) && IS_IDLE(0) && writer == NOBODY -> stops--;
      view[SEEN].isOpen = false;
      copyView(SEEN, DISK);
#if LOST_LOGS
      copyView(SEEN, FILE);
#endif
      hasLog = false;
      endServer(0)
    }
#endif
#if HANGS
  /* [hang] */
  :: atomic { !isQuiet && hangs > 0 && IS_SERVING(0) -> hangs--; server[0].isHung = true }
#endif
#if LAST_TIME
  /* [pass time] */
  :: atomic { clock < LAST_TIME -> clock++ }
#endif
#if SET_BACK
  /* [set clock back] */
  :: atomic { !isQuiet && setBack > 0 && clock > 0 -> setBack--; clock = 0 }
#endif
#if PUZZLES > 1
  /* [issue] */
  :: atomic { !isIssued[1] -> isIssued[1] = true; keyOf[1] = signer; expires[1] = clock + 1 }
#endif
#if PUT_BACK || RESTORES
  /* [copy] Of both databases: a snapshot of the file system, or a backup. */
  :: atomic {
      !isQuiet && !hasCopy && !isRestoring ->
      hasCopy = true;
      copyView(SEEN, COPY);
      copiedKeys = keys; copiedSigner = signer; copiedCounter = mainCounter
    }
#endif
#if PUT_BACK
  /* [put back claims] */
  :: atomic {
      !isQuiet && putBack > 0 && ARE_ALL_OFF && isCopyOld && !isRestoring -> putBack--;
      isTampered = true;
      putClaimsBack()
    }
  /* [put back all] */
  :: atomic {
      !isQuiet && putBack > 0 && ARE_ALL_OFF && isCopyOld && !isRestoring -> putBack--;
      isTampered = true;
      putClaimsBack();
      keys = copiedKeys; signer = copiedSigner; mainCounter = copiedCounter
    }
#endif
#if DELETED
  /* [delete claims] */
  :: atomic {
      !isQuiet && deleted > 0 && ARE_ALL_OFF -> deleted--;
      isTampered = true;
      for (q : 0 .. PUZZLES - 1) { view[SEEN].count[q] = 0 }
      for (k : 0 .. KEYS - 1) { view[SEEN].purged[k] = 0 }
      q = 0; k = 0;
      view[SEEN].counter = 0; view[SEEN].isOwn = false; view[SEEN].isOpen = false; view[SEEN].isLost = false;
      copyView(SEEN, DISK);
      hasLog = false
    }
#endif
#if LOST_LOGS
  /* [lose log] */
  :: atomic {
      !isQuiet && lostLogs > 0 && ARE_ALL_OFF && hasLog -> lostLogs--;
      isTampered = true;
      copyView(FILE, SEEN);
      copyView(FILE, DISK);
      hasLog = false
    }
  /* [checkpoint] */
  :: atomic {
      IS_SERVING(0) && writer == NOBODY && view[FILE].counter < view[SEEN].counter -> copyView(SEEN, FILE)
    }
#endif
#if RESTORES
  /* [restore main] If the command is interrupted here, no server starts until it has been repeated. */
  :: atomic {
      !isQuiet && restores > 0 && hasCopy && ARE_ALL_OFF && !isRestoring -> restores--;
      isRestoring = true;
      total = MAX(MAX(mark, mainCounter), MAX(view[SEEN].counter, copiedCounter)) + 1;
      mainCounter = total;
      total = 0;
#ifdef RESTORE_KEEPS_KEYS
      keys = copiedKeys;
#else
      keys = 0;
#endif
      addKey()
    }
  /* [restore claims] */
  :: atomic {
      isRestoring -> isRestoring = false;
      putClaimsBack();
      view[SEEN].isOpen = false; view[SEEN].isLost = false;
      view[SEEN].counter = mainCounter;
      copyView(SEEN, DISK);
      hasLog = false
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
