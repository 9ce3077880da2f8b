/* What MPI's constants cost in C: two of the smallest calls that take them, and a round trip of
 * eight bytes between two ranks, as often as is asked.
 *
 *     mpicc -O3 constants.c -o constants-c && mpiexec -n 1 ./constants-c count 1000000
 *     mpiexec -n 2 ./constants-c trip 1000000
 *
 * Prints the nanoseconds of a call: the calls are made in a hundred batches, whose median it is, so
 * that a batch in which the process was preempted counts for little. adders/constants.sh compares
 * them with Rust's. */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Whether a message is there. There is none. */
__attribute__((noinline)) int handles_probe(void) {
    int there;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    return there;
}

/* How many numbers a message had. */
__attribute__((noinline)) int handles_count(const MPI_Status *status) {
    int count;
    MPI_Get_count(status, MPI_DOUBLE, &count);
    return count;
}

/* Waits for a message of a rank. */
__attribute__((noinline)) int handles_mprobe(int from, MPI_Message *message, MPI_Status *status) {
    return MPI_Mprobe(from, MPI_ANY_TAG, MPI_COMM_WORLD, message, status);
}

/* A number's way to the other of two ranks and back, where it is made one greater. Whether it was. */
static int trip(int rank, double *number) {
    double before = *number;
    MPI_Message message;
    MPI_Status status;
    if (rank == 0) MPI_Send(number, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    handles_mprobe(1 - rank, &message, &status);
    MPI_Mrecv(number, 1, MPI_DOUBLE, &message, &status);
    if (rank == 1) {
        *number += 1;
        MPI_Send(number, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    }
    return *number == before + 1;
}

static double now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double sent[3] = {1, 2, 3}, received[3];
    MPI_Status status;
    MPI_Sendrecv(sent, 3, MPI_DOUBLE, 0, 1, received, 3, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, &status);
    enum { BATCHES = 100 };
    long calls = argc == 3 ? atol(argv[2]) / BATCHES : 0, total = 0;
    int probes = argc == 3 && !strcmp(argv[1], "probe");
    int trips = argc == 3 && !strcmp(argv[1], "trip");
    double number = 0;
    if (calls <= 0) {
        fputs("expected probe|count|trip CALLS, a hundred at least\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    double ns[BATCHES];
    for (int batch = 0; batch < BATCHES; batch++) {
        double begin = now_ns();
        if (probes)
            for (long i = 0; i < calls; i++) total += handles_probe();
        else if (trips)
            for (long i = 0; i < calls; i++) total += trip(rank, &number);
        else
            for (long i = 0; i < calls; i++) total += handles_count(&status);
        ns[batch] = (now_ns() - begin) / calls;
    }
    if (total != (probes ? 0 : trips ? 1 : 3) * calls * BATCHES) {
        fputs("wrong answers\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    qsort(ns, BATCHES, sizeof *ns, ascending);
    if (rank == 0) printf("%.3f\n", ns[BATCHES / 2]);
    MPI_Finalize();
    return 0;
}
