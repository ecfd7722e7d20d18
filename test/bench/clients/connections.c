// Opens connections to a server on this machine, with or without TLS 1.3. Linux only; needs OpenSSL 3.
//
// usage: connections rate PORT SECONDS CONCURRENCY REQUEST RESUME
//          opens as many TLS connections as possible, each with one request, CONCURRENCY at a time; with RESUME 1, each resumes the
//          session of an earlier one with its ticket. Prints a JSON object.
//        connections idle PORT COUNT CONCURRENCY REQUEST TLS
//          opens COUNT connections, each with one request, prints `open COUNT`, and keeps them open until standard input ends.
// REQUEST is a file with a whole HTTP request. Certificates are not checked, but their signatures in the handshake are.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MAX_RESPONSE 16384
#define MAX_EVENTS 256

enum State { CONNECTING, SENDING, RECEIVING, DONE };

typedef struct {
  int socket;
  enum State state;
  SSL *ssl;
  SSL_SESSION *session; // the newest ticket that this slot received
  size_t received;
  char *response;
} Slot;

static SSL_CTX *context;
static int poll, port;
static char request[4096];
static size_t requestLength;
static long finished, resumed;

static void fail(const char *format, ...) {
  va_list values;
  va_start(values, format);
  vfprintf(stderr, format, values);
  va_end(values);
  fputc('\n', stderr);
  exit(1);
}

static double seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int acceptAny(X509_STORE_CTX *store, void *unused) {
  (void)store;
  (void)unused;
  return 1;
}

static int keepSession(SSL *ssl, SSL_SESSION *session) {
  Slot *slot = SSL_get_app_data(ssl);
  if (slot->session != NULL) SSL_SESSION_free(slot->session);
  slot->session = session;
  return 1; // this program owns the reference
}

static void createContext(void) {
  context = SSL_CTX_new(TLS_client_method());
  if (context == NULL) fail("OpenSSL cannot be used");
  SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
  SSL_CTX_set_cert_verify_callback(context, acceptAny, NULL);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_sess_set_new_cb(context, keepSession);
}

static void watch(Slot *slot, uint32_t events, int operation) {
  struct epoll_event event = { .events = events, .data.ptr = slot };
  if (epoll_ctl(poll, operation, slot->socket, &event) != 0) fail("epoll: %s", strerror(errno));
}

// Each slot has its own address in 127.0.0.0/8, so that the ports of closed connections do not run out.
static void start(Slot *slot, int number) {
  int one = 1;
  struct sockaddr_in from = { .sin_family = AF_INET }, to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
  from.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 256 + (uint32_t)(number % 200));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  slot->socket = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  if (slot->socket < 0) fail("cannot open a socket: %s", strerror(errno));
  setsockopt(slot->socket, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof one);
  setsockopt(slot->socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  if (bind(slot->socket, (struct sockaddr *)&from, sizeof from) != 0) fail("bind: %s", strerror(errno));
  if (connect(slot->socket, (struct sockaddr *)&to, sizeof to) != 0 && errno != EINPROGRESS)
    fail("cannot connect to port %d: %s", port, strerror(errno));
  slot->state = CONNECTING;
  slot->received = 0;
  slot->response = malloc(MAX_RESPONSE);
  if (context != NULL) {
    slot->ssl = SSL_new(context);
    SSL_set_app_data(slot->ssl, slot);
    SSL_set_fd(slot->ssl, slot->socket);
    SSL_set_connect_state(slot->ssl);
    if (slot->session != NULL) SSL_set_session(slot->ssl, slot->session);
  }
  watch(slot, EPOLLOUT, EPOLL_CTL_ADD);
}

// Waits until the socket allows what OpenSSL wants.
static void waitFor(Slot *slot, int result, const char *step) {
  int error = SSL_get_error(slot->ssl, result);
  if (error == SSL_ERROR_WANT_READ) watch(slot, EPOLLIN, EPOLL_CTL_MOD);
  else if (error == SSL_ERROR_WANT_WRITE) watch(slot, EPOLLOUT, EPOLL_CTL_MOD);
  else fail("%s failed after %ld connections (OpenSSL error %d)", step, finished, error);
}

static void checkConnected(Slot *slot) {
  int error = 0;
  socklen_t length = sizeof error;
  getsockopt(slot->socket, SOL_SOCKET, SO_ERROR, &error, &length);
  if (error != 0) fail("cannot connect after %ld connections: %s", finished, strerror(error));
}

static int sendRequest(Slot *slot) {
  if (slot->ssl == NULL) {
    if (write(slot->socket, request, requestLength) != (ssize_t)requestLength) fail("cannot send: %s", strerror(errno));
    return 1;
  }
  int result = SSL_write(slot->ssl, request, (int)requestLength);
  if (result <= 0) waitFor(slot, result, "sending");
  return result > 0;
}

static int isComplete(Slot *slot) {
  slot->response[slot->received] = 0;
  char *end = strstr(slot->response, "\r\n\r\n");
  if (end == NULL) return 0;
  if (strncmp(slot->response, "HTTP/1.1 200", 12) != 0) fail("unexpected response:\n%s", slot->response);
  char *field = strcasestr(slot->response, "\r\ncontent-length:");
  if (field == NULL || field > end) fail("a response without Content-Length:\n%s", slot->response);
  return slot->received >= (size_t)(end - slot->response) + 4 + strtoul(field + 17, NULL, 10);
}

static void receive(Slot *slot) {
  for (;;) {
    char *into = slot->response + slot->received;
    size_t space = MAX_RESPONSE - 1 - slot->received;
    ssize_t length = slot->ssl ? SSL_read(slot->ssl, into, (int)space) : read(slot->socket, into, space);
    if (length <= 0) {
      if (slot->ssl) waitFor(slot, (int)length, "receiving");
      else if (length == 0 || errno != EAGAIN) fail("the server closed a connection after %ld", finished);
      return;
    }
    slot->received += (size_t)length;
    if (!isComplete(slot)) continue;
    slot->state = DONE;
    finished++;
    free(slot->response);
    slot->response = NULL;
    if (slot->ssl) resumed += SSL_session_reused(slot->ssl);
    return;
  }
}

static void advance(Slot *slot) {
  if (slot->state == CONNECTING) {
    checkConnected(slot);
    if (slot->ssl) {
      int result = SSL_do_handshake(slot->ssl);
      if (result != 1) {
        waitFor(slot, result, "the handshake");
        return;
      }
    }
    slot->state = SENDING;
  }
  if (slot->state == SENDING) {
    if (!sendRequest(slot)) return;
    slot->state = RECEIVING;
    watch(slot, EPOLLIN, EPOLL_CTL_MOD);
    if (slot->ssl == NULL) return;
  }
  if (slot->state == RECEIVING) receive(slot);
}

static void finish(Slot *slot, int keepsSession) {
  // Without a shutdown, OpenSSL would consider the session unusable.
  SSL_set_quiet_shutdown(slot->ssl, 1);
  SSL_shutdown(slot->ssl);
  SSL_free(slot->ssl);
  slot->ssl = NULL;
  close(slot->socket);
  if (!keepsSession && slot->session != NULL) {
    SSL_SESSION_free(slot->session);
    slot->session = NULL;
  }
}

static void runEvents(int timeoutMs) {
  struct epoll_event events[MAX_EVENTS];
  int ready = epoll_wait(poll, events, MAX_EVENTS, timeoutMs);
  for (int i = 0; i < ready; i++) advance(events[i].data.ptr);
}

static void measureRate(double duration, int concurrency, int resumes) {
  Slot *slots = calloc((size_t)concurrency, sizeof *slots);
  for (int i = 0; i < concurrency; i++) start(&slots[i], i);
  double startedAt = seconds();
  while (seconds() - startedAt < duration) {
    runEvents(100);
    for (int i = 0; i < concurrency; i++) {
      if (slots[i].state != DONE) continue;
      finish(&slots[i], resumes);
      start(&slots[i], i);
    }
  }
  double elapsed = seconds() - startedAt;
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  double cpu = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
  printf("{\"connections\":%ld,\"resumed\":%ld,\"seconds\":%.4f,\"clientShare\":%.3f}\n", finished, resumed, elapsed, cpu / elapsed);
}

static void stayIdle(int count, int concurrency) {
  Slot *slots = calloc((size_t)count, sizeof *slots);
  int started = 0;
  while (finished < count) {
    while (started < count && started - finished < concurrency) {
      start(&slots[started], started);
      started++;
    }
    runEvents(100);
  }
  printf("open %ld\n", finished);
  fflush(stdout);
  char byte;
  while (read(0, &byte, 1) > 0);
}

int main(int argc, char **argv) {
  if (argc != 7) fail("usage: connections rate|idle PORT SECONDS|COUNT CONCURRENCY REQUEST RESUME|TLS");
  signal(SIGPIPE, SIG_IGN);
  port = atoi(argv[2]);
  FILE *file = fopen(argv[5], "rb");
  if (file == NULL) fail("cannot read %s", argv[5]);
  requestLength = fread(request, 1, sizeof request, file);
  fclose(file);
  poll = epoll_create1(0);
  int flag = atoi(argv[6]), concurrency = atoi(argv[4]);
  if (strcmp(argv[1], "rate") == 0) {
    createContext();
    measureRate(atof(argv[3]), concurrency, flag);
    return 0;
  }
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  if (flag) createContext();
  stayIdle(atoi(argv[3]), concurrency);
  return 0;
}
