/*
 * The bare cost of a round trip: a datagram to an echo and back, with nothing around it. The floor that a measuring
 * tool is compared with.
 *
 *   bare_probe echo PORT
 *   bare_probe ask PORT RATE COUNT      one line of JSON: quantiles of the round trip in seconds
 *
 * It sleeps until each request is due (an absolute schedule, no timer slack) and then waits in recv.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
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

static int ascending(const void *one, const void *other) {
    int64_t a = *(const int64_t *)one, b = *(const int64_t *)other;
    return (a > b) - (a < b);
}

static int echo(int socket, struct sockaddr_in address) {
    char datagram[2048];
    if (bind(socket, (struct sockaddr *)&address, sizeof address) != 0) {
        perror("bind");
        return 1;
    }
    for (;;) {
        struct sockaddr_in from;
        socklen_t length = sizeof from;
        ssize_t octets = recvfrom(socket, datagram, sizeof datagram, 0, (struct sockaddr *)&from, &length);
        if (octets >= 0) {
            sendto(socket, datagram, octets, 0, (struct sockaddr *)&from, length);
        }
    }
}

static int ask(int socket, struct sockaddr_in address, double rate, long count) {
    struct timeval patience = {1, 0};
    int64_t *trips = calloc(count, sizeof *trips), gap = 1e9 / rate;
    char datagram[OCTETS] = {0};
    long answered = 0;
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (trips == NULL || connect(socket, (struct sockaddr *)&address, sizeof address) != 0) {
        perror("connect");
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
        ssize_t octets = recv(socket, datagram, sizeof datagram, 0);
        came = now();
        if (octets == OCTETS && memcmp(datagram, &index, sizeof index) == 0) {
            trips[answered++] = came - sent;
        }
    }
    if (answered == 0) {
        fprintf(stderr, "no answer\n");
        return 1;
    }
    qsort(trips, answered, sizeof *trips, ascending);
    printf("{\"p50\": %.9f, \"p99\": %.9f, \"answered\": %ld}\n", trips[(answered - 1) / 2] / 1e9,
           trips[(answered - 1) * 99 / 100] / 1e9, answered);
    return 0;
}

int main(int count, char **arguments) {
    struct sockaddr_in address = {.sin_family = AF_INET};
    int socket_ = socket(AF_INET, SOCK_DGRAM, 0);
    if (count < 3) {
        fprintf(stderr, "usage: bare_probe echo PORT | ask PORT RATE COUNT\n");
        return 2;
    }
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(atoi(arguments[2]));
    if (strcmp(arguments[1], "echo") == 0) {
        return echo(socket_, address);
    }
    return count < 5 ? 2 : ask(socket_, address, atof(arguments[3]), atol(arguments[4]));
}
