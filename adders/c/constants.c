/* What MPI's constants cost in C: two of the smallest calls that take them, as often as is asked.
 *
 *     mpicc -O3 constants.c -o constants-c && mpiexec -n 1 ./constants-c count 1000000
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
    double sent[3] = {1, 2, 3}, received[3];
    MPI_Status status;
    MPI_Sendrecv(sent, 3, MPI_DOUBLE, 0, 1, received, 3, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, &status);
    enum { BATCHES = 100 };
    long calls = argc == 3 ? atol(argv[2]) / BATCHES : 0, total = 0;
    int probes = argc == 3 && !strcmp(argv[1], "probe");
    if (calls <= 0) {
        fputs("expected probe|count CALLS, a hundred at least\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    double ns[BATCHES];
    for (int batch = 0; batch < BATCHES; batch++) {
        double begin = now_ns();
        if (probes)
            for (long i = 0; i < calls; i++) total += handles_probe();
        else
            for (long i = 0; i < calls; i++) total += handles_count(&status);
        ns[batch] = (now_ns() - begin) / calls;
    }
    if (total != (probes ? 0 : 3 * calls * BATCHES)) {
        fputs("wrong answers\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    qsort(ns, BATCHES, sizeof *ns, ascending);
    printf("%.3f\n", ns[BATCHES / 2]);
    MPI_Finalize();
    return 0;
}
