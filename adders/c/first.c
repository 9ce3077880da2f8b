/* The adder in C by the method of the comparison that all this comes from (adders/README.md), for how much faster the others have become.
 * Those in Rust and Julia have it as a mode.
 *
 *     mpicc -O3 first.c -o c-first && mpiexec -n 4 ./c-first FILE SIZE
 *
 * The same halving tree, in which a rank halves its bytes whatever the number of ranks, sends them in one message whose request it forgets
 * until it has the answer, adds one byte after the other, and then waits. Who receives asks for the length, and for memory each time.
 * Of its faults, those that hang, print wrong sums or leak are left out: fewer bytes than ranks are an error, as are 2^31 bytes. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

static int rank, ranks;

static void fail(const char *what, const char *why) {
    char line[1000];
    snprintf(line, sizeof line, "c-first: %s: %s\n", what, why);
    fputs(line, stderr);
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

static double now_us(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

/* The lowest rank below this one is this one plus that. */
static int first_step(void) {
    int step = 1;
    while (step <= rank) step *= 2;
    return step;
}

static uint64_t pass(const uint8_t *bytes, int size) {
    uint8_t *received = NULL;
    if (rank > 0) {
        MPI_Message message;
        MPI_Status status;
        MPI_Mprobe(rank - first_step() / 2, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
        MPI_Get_count(&status, MPI_BYTE, &size);
        received = malloc(size);
        if (!received) fail("memory", "there is none");
        MPI_Mrecv(received, size, MPI_BYTE, &message, &status);
        bytes = received;
    }
    MPI_Request sends[32];
    int children = 0;
    for (int step = first_step(); rank + step < ranks; step *= 2) {
        int kept = size / 2;
        MPI_Isend(bytes + kept, size - kept, MPI_BYTE, rank + step, 0, MPI_COMM_WORLD, &sends[children++]);
        size = kept;
    }
    uint64_t total = 0, part;
    for (int i = 0; i < size; i++) total += bytes[i];
    for (int i = 0; i < children; i++) {
        MPI_Recv(&part, 1, MPI_UINT64_T, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        total += part;
    }
    MPI_Waitall(children, sends, MPI_STATUSES_IGNORE);
    if (rank > 0) MPI_Send(&total, 1, MPI_UINT64_T, rank - first_step() / 2, 1, MPI_COMM_WORLD);
    free(received);
    return total;
}

static uint8_t *load(const char *path, int size) {
    struct stat facts;
    FILE *file = fopen(path, "rb");
    if (!file || fstat(fileno(file), &facts)) fail(path, "No such file, or it cannot be read");
    if (facts.st_size != size) {
        char why[80];
        snprintf(why, sizeof why, "has %lld bytes, expected %d", (long long)facts.st_size, size);
        fail(path, why);
    }
    uint8_t *bytes = malloc(size);
    if (!bytes || fread(bytes, 1, size, file) != (size_t)size) fail(path, "cannot be read");
    fclose(file);
    return bytes;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    char *end = NULL;
    long size = argc == 3 ? strtol(argv[2], &end, 10) : 0;
    if (argc != 3 || *end) fail("SIZE", "not a number");
    if (size < ranks || size > INT32_MAX) fail("SIZE", "not between the number of ranks and 2^31-1");
    const char *warm = getenv("ADDER_WARM");
    int passes = 1 + (warm ? atoi(warm) : 3);
    double begin = now_us();
    uint8_t *bytes = rank == 0 ? load(argv[1], size) : NULL;
    double loaded = now_us() - begin;
    for (int i = 0; i < passes; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        begin = now_us();
        uint64_t total = pass(bytes, size);
        double us = now_us() - begin;
        if (rank > 0) continue;
        if (i == 0)
            printf("{\"adder\":\"c-first\",\"sum\":%" PRIu64 ",\"ranks\":%d,\"threads\":1,\"load_us\":%.3f,\"cold_us\":%.3f,\"warm_us\":[", total, ranks, loaded, us);
        else
            printf("%s%.3f", i > 1 ? "," : "", us);
    }
    if (rank == 0) puts("]}");
    free(bytes);
    MPI_Finalize();
    return 0;
}
