// Sends HTTP requests at a constant rate over keep-alive connections, regardless of how fast the server responds, and measures each
// latency from the time at which the request was planned. A request that has to wait, because all connections are busy, therefore
// counts the wait (this avoids coordinated omission). Linux only.
//
// usage: openLoop PORT RATE SECONDS WARMUP CONNECTIONS HEAD [BODIES BODY_LENGTH FIRST]
//   HEAD    file with a whole request, or, with BODIES, the head of a POST without Content-Length and without the empty line
//   BODIES  file with lines of BODY_LENGTH bytes; each is sent once, starting with line FIRST
// Prints a JSON object. Times are in milliseconds; requests that were planned during the first WARMUP seconds are not counted.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define MAX_RESPONSE 65536
// After the last planned request, responses may take this long.
#define GRACE_NS 10000000000ULL
#define MAX_EVENTS 256

typedef struct {
  int socket;
  uint64_t plannedAt, freeSince;
  long request; // -1 while no request is in flight
  size_t received;
  char response[MAX_RESPONSE];
} Connection;

static Connection *connections;
static int *freeQueue; // ring buffer of the connections without a request, the longest free first
static int connectionCount, freeFirst, freeCount;
static char *head, *bodies;
static size_t headLength, bodyLength, bodyCount;
static uint64_t *latencies, *lateness;
static long completed, counted, unexpected, waited;

static void fail(const char *format, ...) {
  va_list values;
  va_start(values, format);
  vfprintf(stderr, format, values);
  va_end(values);
  fputc('\n', stderr);
  exit(1);
}

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000ULL + (uint64_t)time.tv_nsec;
}

static char *mapFile(const char *path, size_t *length) {
  int file = open(path, O_RDONLY);
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0) fail("cannot read %s: %s", path, strerror(errno));
  *length = (size_t)status.st_size;
  char *contents = mmap(NULL, *length, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
  if (contents == MAP_FAILED) fail("cannot map %s: %s", path, strerror(errno));
  close(file);
  return contents;
}

static int openConnection(int port) {
  int one = 1;
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int connection = socket(AF_INET, SOCK_STREAM, 0);
  if (connection < 0 || connect(connection, (struct sockaddr *)&address, sizeof address) != 0)
    fail("cannot connect to port %d: %s", port, strerror(errno));
  setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  fcntl(connection, F_SETFL, O_NONBLOCK);
  return connection;
}

static void release(int index) {
  freeQueue[(freeFirst + freeCount++) % connectionCount] = index;
}

// A request is smaller than the socket's buffer, which is empty, so that it is always sent at once.
static void sendRequest(Connection *connection, long number, size_t firstBody) {
  char length[64];
  struct iovec parts[3] = { { head, headLength } };
  int count = 1;
  size_t expected = headLength;
  if (bodies != NULL) {
    size_t line = firstBody + (size_t)number;
    if (line >= bodyCount) fail("the file has only %zu bodies", bodyCount);
    int digits = snprintf(length, sizeof length, "Content-Length: %zu\r\n\r\n", bodyLength);
    parts[1] = (struct iovec){ length, (size_t)digits };
    parts[2] = (struct iovec){ bodies + line * (bodyLength + 1), bodyLength };
    count = 3;
    expected += (size_t)digits + bodyLength;
  }
  ssize_t sent = writev(connection->socket, parts, count);
  if (sent != (ssize_t)expected) fail("cannot send a request: %s", sent < 0 ? strerror(errno) : "the buffer is full");
}

// Returns whether the response is complete.
static int isComplete(Connection *connection) {
  connection->response[connection->received] = 0;
  char *end = strstr(connection->response, "\r\n\r\n");
  if (end == NULL) return 0;
  char *field = strcasestr(connection->response, "\r\ncontent-length:");
  if (field == NULL || field > end) fail("a response without Content-Length:\n%s", connection->response);
  return connection->received >= (size_t)(end - connection->response) + 4 + strtoul(field + 17, NULL, 10);
}

static void receive(int index, long firstCounted) {
  Connection *connection = &connections[index];
  size_t space = MAX_RESPONSE - 1 - connection->received;
  ssize_t length = read(connection->socket, connection->response + connection->received, space);
  if (length < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (length <= 0) fail("the server closed a connection after %ld responses", completed);
  connection->received += (size_t)length;
  if (!isComplete(connection)) {
    if (connection->received == MAX_RESPONSE - 1) fail("a response is too long");
    return;
  }
  uint64_t at = now();
  if (strncmp(connection->response, "HTTP/1.1 200", 12) != 0) unexpected++;
  if (connection->request >= firstCounted) latencies[counted++] = at - connection->plannedAt;
  completed++;
  connection->request = -1;
  connection->received = 0;
  connection->freeSince = at;
  release(index);
}

static int compare(const void *a, const void *b) {
  uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
  return (left > right) - (left < right);
}

static double at(const uint64_t *sorted, long count, double share) {
  if (count == 0) return 0;
  long index = (long)(share * (double)count);
  return (double)sorted[index < count ? index : count - 1] / 1e6;
}

int main(int argc, char **argv) {
  if (argc != 7 && argc != 10) fail("usage: openLoop PORT RATE SECONDS WARMUP CONNECTIONS HEAD [BODIES BODY_LENGTH FIRST]");
  int port = atoi(argv[1]);
  double rate = atof(argv[2]), seconds = atof(argv[3]), warmup = atof(argv[4]);
  connectionCount = atoi(argv[5]);
  if (rate < 1 || seconds <= 0 || warmup < 0 || connectionCount < 1 || rate * (seconds + warmup) > 1e8) fail("invalid arguments");
  head = mapFile(argv[6], &headLength);
  size_t firstBody = 0, size;
  if (argc == 10) {
    bodies = mapFile(argv[7], &size);
    bodyLength = strtoul(argv[8], NULL, 10);
    bodyCount = (size + 1) / (bodyLength + 1);
    firstBody = strtoul(argv[9], NULL, 10);
  }
  signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_TIMERSLACK, 1UL);

  long total = (long)(rate * (seconds + warmup)), firstCounted = (long)(rate * warmup);
  latencies = calloc((size_t)total + 1, sizeof *latencies);
  lateness = calloc((size_t)total + 1, sizeof *lateness);
  connections = calloc((size_t)connectionCount, sizeof *connections);
  freeQueue = calloc((size_t)connectionCount, sizeof *freeQueue);
  if (!latencies || !lateness || !connections || !freeQueue) fail("out of memory");
  int poll = epoll_create1(0);
  for (int i = 0; i < connectionCount; i++) {
    connections[i].socket = openConnection(port);
    connections[i].request = -1;
    struct epoll_event event = { .events = EPOLLIN, .data.u32 = (uint32_t)i };
    epoll_ctl(poll, EPOLL_CTL_ADD, connections[i].socket, &event);
    release(i);
  }

  struct rusage usage;
  uint64_t start = now() + 1000000, deadline = start + (uint64_t)(1e9 * (seconds + warmup)) + GRACE_NS;
  long sent = 0;
  while (completed < total) {
    uint64_t time = now();
    if (time > deadline) fail("%ld of %ld requests have no response", total - completed, total);
    while (sent < total && freeCount > 0) {
      uint64_t plannedAt = start + (uint64_t)(1e9 * (double)sent / rate);
      if (plannedAt > time) break;
      Connection *connection = &connections[freeQueue[freeFirst]];
      freeFirst = (freeFirst + 1) % connectionCount;
      freeCount--;
      connection->request = sent;
      connection->plannedAt = plannedAt;
      sendRequest(connection, sent, firstBody);
      time = now();
      // The client's own delay: it starts when the request was due and a connection was free.
      int hasWaited = connection->freeSince > plannedAt;
      if (sent >= firstCounted) {
        waited += hasWaited;
        lateness[sent - firstCounted] = time - (hasWaited ? connection->freeSince : plannedAt);
      }
      sent++;
    }
    uint64_t next = sent < total && freeCount > 0 ? start + (uint64_t)(1e9 * (double)sent / rate) : time + 100000000;
    uint64_t wait = next > time ? next - time : 0;
    struct timespec timeout = { .tv_sec = (time_t)(wait / 1000000000ULL), .tv_nsec = (long)(wait % 1000000000ULL) };
    struct epoll_event events[MAX_EVENTS];
    int ready = epoll_pwait2(poll, events, MAX_EVENTS, &timeout, NULL);
    for (int i = 0; i < ready; i++) receive((int)events[i].data.u32, firstCounted);
  }
  double elapsed = (double)(now() - start) / 1e9;
  getrusage(RUSAGE_SELF, &usage);
  double cpu = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
  qsort(latencies, (size_t)counted, sizeof *latencies, compare);
  qsort(lateness, (size_t)counted, sizeof *lateness, compare);
  printf("{\"requests\":%ld,\"unexpected\":%ld,\"waited\":%ld,\"p50\":%.4f,\"p90\":%.4f,\"p99\":%.4f,\"p999\":%.4f,\"max\":%.4f,", counted,
         unexpected, waited, at(latencies, counted, 0.5), at(latencies, counted, 0.9), at(latencies, counted, 0.99),
         at(latencies, counted, 0.999), at(latencies, counted, 1));
  printf("\"lateP50\":%.4f,\"lateP99\":%.4f,\"lateMax\":%.4f,\"total\":%ld,\"clientShare\":%.3f}\n", at(lateness, counted, 0.5),
         at(lateness, counted, 0.99), at(lateness, counted, 1), total, cpu / elapsed);
  return 0;
}
