/*
 * The bare cost of a datagram, with nothing around it: what a measuring tool is compared with.
 *
 *   bare_probe echo ADDRESS PORT [stamped]
 *   bare_probe ask ADDRESS PORT RATE COUNT [stamped]
 *                                                quantiles of the RTT and of the lateness in seconds, and the CPU share
 *   bare_probe spin RATE COUNT                   quantiles of the lateness of a loop that only reads the clock: the
 *                                                minimum for any process on this CPU
 *   bare_probe sink ADDRESS PORT
 *   bare_probe flood ADDRESS PORT SECONDS        datagrams sent per second, one per call
 *
 * Answers are one line of JSON. A request sleeps until it is due (an absolute schedule, no timer slack) and then waits
 * in recv. With `stamped` the kernel timestamps its datagrams on transmit and receive, as needed to separate
 * network from host time, and it reads these timestamps.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <linux/net_tstamp.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>

enum { OCTETS = 64 };

static int64_t now(void) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return at.tv_sec * 1000000000LL + at.tv_nsec;
}

static void sleep_until(int64_t due) {
    struct timespec at = {due / 1000000000LL, due % 1000000000LL};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) != 0) {
    }
}

static double processor_seconds(void) {
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return used.ru_utime.tv_sec + used.ru_stime.tv_sec + (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

static int ascending(const void *one, const void *other) {
    int64_t a = *(const int64_t *)one, b = *(const int64_t *)other;
    return (a > b) - (a < b);
}

static int64_t quantile(const int64_t *sorted, long count, int percent) {
    return sorted[(count - 1) * percent / 100];
}

static int let_stamp(int socket) {
    int wish = SOF_TIMESTAMPING_SOFTWARE | SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_TX_SOFTWARE |
               SOF_TIMESTAMPING_OPT_ID | SOF_TIMESTAMPING_OPT_TSONLY;
    return setsockopt(socket, SOL_SOCKET, SO_TIMESTAMPING, &wish, sizeof wish);
}

/* A datagram, or with MSG_ERRQUEUE the stamp of one that left; the kernel's stamps come with either. */
static ssize_t receive(int socket, void *datagram, size_t room, int flags, struct sockaddr_in *from) {
    char stamps[256];
    struct iovec into = {datagram, room};
    struct msghdr message = {.msg_iov = &into, .msg_iovlen = 1, .msg_control = stamps, .msg_controllen = sizeof stamps};
    message.msg_name = from;
    message.msg_namelen = from != NULL ? sizeof *from : 0;
    return recvmsg(socket, &message, flags);
}

static void serve(int socket, int answers, int stamped) {
    char datagram[2048], nothing[1];
    for (;;) {
        struct sockaddr_in from;
        ssize_t octets = receive(socket, datagram, sizeof datagram, 0, &from);
        if (answers && octets >= 0) {
            sendto(socket, datagram, octets, 0, (struct sockaddr *)&from, sizeof from);
            if (stamped) {
                receive(socket, nothing, sizeof nothing, MSG_ERRQUEUE | MSG_DONTWAIT, NULL);
            }
        }
    }
}

static int ask(int socket, double rate, long count, int stamped) {
    struct timeval timeout = {1, 0};
    int64_t *trips = calloc(count, sizeof *trips), *late = calloc(count, sizeof *late), gap = 1e9 / rate;
    char datagram[OCTETS] = {0}, nothing[1];
    long answered = 0;
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    if (trips == NULL || late == NULL) {
        return 1;
    }
    prctl(PR_SET_TIMERSLACK, 1);
    int64_t start = now() + gap;
    for (long index = 0; index < count; index++) {
        int64_t sent, came;
        sleep_until(start + index * gap);
        memcpy(datagram, &index, sizeof index);
        sent = now();
        if (send(socket, datagram, sizeof datagram, 0) < 0) {
            continue;
        }
        if (stamped) {
            receive(socket, nothing, sizeof nothing, MSG_ERRQUEUE | MSG_DONTWAIT, NULL);
        }
        ssize_t octets = receive(socket, datagram, sizeof datagram, 0, NULL);
        came = now();
        if (octets == OCTETS && memcmp(datagram, &index, sizeof index) == 0) {
            late[answered] = sent - (start + index * gap);
            trips[answered++] = came - sent;
        }
    }
    if (answered == 0) {
        fprintf(stderr, "no answer\n");
        return 1;
    }
    double processors = processor_seconds() / ((now() - start) / 1e9);
    qsort(trips, answered, sizeof *trips, ascending);
    qsort(late, answered, sizeof *late, ascending);
    printf("{\"p50\": %.9f, \"p99\": %.9f, \"lateness_p50\": %.9f, \"lateness_p99\": %.9f, \"processors\": %.6f}\n",
           quantile(trips, answered, 50) / 1e9, quantile(trips, answered, 99) / 1e9, quantile(late, answered, 50) / 1e9,
           quantile(late, answered, 99) / 1e9, processors);
    return 0;
}

static int spin(double rate, long count) {
    int64_t *late = calloc(count, sizeof *late), gap = 1e9 / rate, start = now() + gap, at;
    if (late == NULL) {
        return 1;
    }
    for (long index = 0; index < count; index++) {
        while ((at = now()) < start + index * gap) {
        }
        late[index] = at - (start + index * gap);
    }
    qsort(late, count, sizeof *late, ascending);
    printf("{\"lateness_p50\": %.9f, \"lateness_p99\": %.9f}\n", quantile(late, count, 50) / 1e9,
           quantile(late, count, 99) / 1e9);
    return 0;
}

static int flood(int socket, double seconds) {
    char datagram[OCTETS] = {0};
    long sent = 0;
    int64_t start = now(), end = start + seconds * 1e9;
    while (now() < end) {
        sent += send(socket, datagram, sizeof datagram, 0) == OCTETS;
    }
    printf("{\"sent\": %.0f}\n", sent / ((now() - start) / 1e9));
    return 0;
}

int main(int count, char **arguments) {
    struct sockaddr_in address = {.sin_family = AF_INET};
    int socket_ = socket(AF_INET, SOCK_DGRAM, 0);
    const char *what = count > 1 ? arguments[1] : "";
    int serves = strcmp(what, "echo") == 0 || strcmp(what, "sink") == 0;
    int stamped = count > 4 && strcmp(arguments[count - 1], "stamped") == 0;
    count -= stamped;
    if (strcmp(what, "spin") == 0 && count == 4) {
        return spin(atof(arguments[2]), atol(arguments[3]));
    }
    int asks = strcmp(what, "ask") == 0 && count == 6, floods = strcmp(what, "flood") == 0 && count == 5;
    if (!((serves && count == 4) || asks || floods) || inet_pton(AF_INET, arguments[2], &address.sin_addr) != 1) {
        fprintf(stderr, "usage: bare_probe echo|sink ADDRESS PORT [stamped] | ask ADDRESS PORT RATE COUNT [stamped]"
                        " | spin RATE COUNT | flood ADDRESS PORT SECONDS\n");
        return 2;
    }
    address.sin_port = htons(atoi(arguments[3]));
    if ((serves ? bind : connect)(socket_, (struct sockaddr *)&address, sizeof address) != 0) {
        perror(what);
        return 1;
    }
    if (stamped && let_stamp(socket_) != 0) {
        perror("stamps");
        return 1;
    }
    if (serves) {
        serve(socket_, strcmp(what, "echo") == 0, stamped);
        return 1;
    }
    return asks ? ask(socket_, atof(arguments[4]), atol(arguments[5]), stamped) : flood(socket_, atof(arguments[4]));
}
