/*
 * The counts in a claims file: the log of recent claims, the table to which they are moved, and the memory of the ledger threads
 * that use the file. docs/project/model.md explains the model, and lists the code behind each step.
 *
 * A transaction is one step, because SQLite runs one at a time and undoes those that fail; sqlite.pml has the steps of a commit.
 */
#ifndef LEDGERS /* processes that use the file */
#define LEDGERS 2
#endif
#ifndef PUZZLES
#define PUZZLES 2
#endif
#ifndef CLAIMS
#define CLAIMS 4
#endif
#ifndef GENERATION /* number of puzzles that are moved together */
#define GENERATION 2
#endif
#ifndef KILLS
#define KILLS 1
#endif
#ifndef DISK_ERRORS
#define DISK_ERRORS 1
#endif

/* The file. Row i of the log has the count of one puzzle; 0 if the row does not exist. */
byte logCount[CLAIMS + 1];
byte logPuzzle[CLAIMS + 1];
byte rows = 0;
byte stored[PUZZLES]; /* the table `claims` */

/* The memory of a ledger thread. */
typedef Ledger {
  bool isCurrent;        /* whether it has read the log since another process has written */
  byte filling[PUZZLES];
  bool isMoving;
  byte moving[PUZZLES];  /* the counts of the generation that is moved */
  byte next;             /* the first puzzle that has not been moved yet */
  byte lastMoved         /* the last row of that generation */
};
Ledger ledger[LEDGERS];

byte committed[PUZZLES]; /* claims whose transaction has been committed */
byte claims = CLAIMS;
byte kills = KILLS;
byte diskErrors = DISK_ERRORS;

/* Scratch variables; 0 between steps. */
byte q, r, n;

inline refresh(s) {
  if
  :: !ledger[s].isCurrent ->
    ledger[s].isMoving = false;
    ledger[s].next = 0;
    ledger[s].lastMoved = 0;
    for (q : 0 .. PUZZLES - 1) { ledger[s].filling[q] = 0; ledger[s].moving[q] = 0 }
    for (r : 1 .. CLAIMS) {
      if
      :: logCount[r] > 0 -> ledger[s].filling[logPuzzle[r]] = logCount[r]
      :: else
      fi
    }
    q = 0; r = 0;
    ledger[s].isCurrent = true
  :: else
  fi
}

/* Moves puzzles from the log to the table, and deletes the rows of the generation after the last one. */
inline move(s, limit, isUndone) {
  r = 0;
  do
  :: ledger[s].isMoving && r < limit ->
    q = ledger[s].next;
    if
    :: !isUndone && ledger[s].moving[q] > 0 ->
      stored[q] = (stored[q] > ledger[s].moving[q] -> stored[q] : ledger[s].moving[q])
    :: else
    fi;
    r++;
    ledger[s].next++;
    if
    :: ledger[s].next == PUZZLES ->
      ledger[s].isMoving = false;
      ledger[s].next = 0;
      for (q : 0 .. PUZZLES - 1) { ledger[s].moving[q] = 0 }
      for (q : 1 .. CLAIMS) {
        if
#ifdef ERASE_ALL
        :: !isUndone -> logCount[q] = 0
#else
        :: !isUndone && q <= ledger[s].lastMoved -> logCount[q] = 0
#endif
        :: else
        fi
      }
      ledger[s].lastMoved = 0
    :: else
    fi
  :: else -> break
  od;
  r = 0; q = 0
}

inline startMove(s, isUndone) {
  for (q : 0 .. PUZZLES - 1) {
    ledger[s].moving[q] = ledger[s].filling[q];
    ledger[s].filling[q] = 0
  }
  q = 0;
  ledger[s].isMoving = true;
  ledger[s].next = 0;
  ledger[s].lastMoved = rows;
#ifdef ERASE_EARLY
  for (q : 1 .. CLAIMS) {
    if
    :: !isUndone -> logCount[q] = 0
    :: else
    fi
  }
  q = 0;
#endif
  skip
}

/* The number of puzzles that the generation has. */
inline countFilling(s) {
  n = 0;
  for (q : 0 .. PUZZLES - 1) { n = n + (ledger[s].filling[q] > 0) }
  q = 0
}

inline count(s, p, isUndone) {
#ifdef TABLE_FIRST
  n = (stored[p] > 0 -> stored[p] : (ledger[s].filling[p] > 0 -> ledger[s].filling[p] : ledger[s].moving[p]));
#else
  n = (ledger[s].filling[p] > 0 -> ledger[s].filling[p] : (ledger[s].moving[p] > 0 -> ledger[s].moving[p] : stored[p]));
#endif
  n++;
  ledger[s].filling[p] = n;
  if
  :: isUndone
  :: else ->
    /* No number is assigned twice, and none is left out. */
    assert(n == committed[p] + 1);
    committed[p]++;
    rows++;
    logCount[rows] = n;
    logPuzzle[rows] = p
  fi;
  if
  :: move(s, 1, isUndone)
  :: move(s, PUZZLES, isUndone)
  :: true
  fi;
  countFilling(s);
  if
  :: !ledger[s].isMoving && n >= GENERATION -> startMove(s, isUndone)
  :: else
  fi;
  n = 0
}

/* Another connection has committed (`PRAGMA data_version`). */
inline invalidateOthers(s) {
#ifndef NO_REFRESH
  for (q : 0 .. LEDGERS - 1) {
    if
    :: q != s -> ledger[q].isCurrent = false
    :: else
    fi
  }
  q = 0;
#endif
  skip
}

inline forget(s) {
  ledger[s].isCurrent = false
}

proctype LedgerThread(byte s) {
  byte p;
end:
  do
  /* [count] */
  :: atomic {
      claims > 0 -> claims--;
      select(p : 0 .. PUZZLES - 1);
      refresh(s);
      count(s, p, false);
      invalidateOthers(s);
      p = 0
    }
  /* [fail] The transaction is undone, but not the counts in memory. */
  :: atomic {
      diskErrors > 0 -> diskErrors--;
      select(p : 0 .. PUZZLES - 1);
      refresh(s);
      count(s, p, true);
#ifndef NO_FORGET
      forget(s);
#endif
      p = 0
    }
  /* [move all] When the server stops, and before a purge. */
  :: atomic {
      ledger[s].isMoving && ledger[s].isCurrent ->
      move(s, PUZZLES, false);
      startMove(s, false);
      move(s, PUZZLES, false);
      invalidateOthers(s)
    }
  /* [kill] */
  :: atomic {
      kills > 0 -> kills--;
      ledger[s].isCurrent = false;
      ledger[s].isMoving = false;
      ledger[s].next = 0;
      ledger[s].lastMoved = 0;
      for (q : 0 .. PUZZLES - 1) { ledger[s].filling[q] = 0; ledger[s].moving[q] = 0 }
      q = 0
    }
  od
}

active proctype Main() {
  byte s;
  atomic {
    for (s : 0 .. LEDGERS - 1) { run LedgerThread(s) }
    s = 0
  }
}
