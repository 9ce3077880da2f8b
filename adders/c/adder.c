/* The adder in C on MPI: the sum of a file's bytes, which rank 0 has, over the halving tree.
 *
 *     mpicc -O3 adder.c -o c && mpiexec -n 4 ./c FILE SIZE
 *
 * Rank 0 gives half of the bytes to rank 1, half of what it keeps to rank 2, then to rank 4; a
 * rank that got some does the same with higher ranks. What is halved is the ranks below a rank, so
 * that all shares are equal but for a byte, for any number of ranks.
 *
 * Messages are the cells of a grid of ADDER_CHUNK bytes, cut to what is sent, the last cell first.
 * Both sides know the grid, so no rank asks for lengths, no count comes near 2^31, empty shares
 * need no message, and a rank passes cells on while others are still coming. Every request is
 * completed. Who waits gives its processor away. Whatever fails is said and ends all ranks with
 * exit code 1. */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <mpi.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { MOST_CHILDREN = 32, BYTES = 1, SUM = 2 };

/* How long a huge page is, usually. */
static const size_t HUGE_PAGE = 1 << 21;

/* Bytes that are added between two looks at the messages. */
static const uint64_t STEP = 1 << 18;

struct range { uint64_t start, end; };
struct node {
    int parent, children, child[MOST_CHILDREN];
    struct range all, own, given[MOST_CHILDREN];
};

static int rank, ranks;
static uint64_t chunk;

static void fail(const char *format, ...) {
    /* In one piece, and then a pause: a launcher that is told to end everything loses what it has not read by then. */
    char reason[1000], line[1010];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    snprintf(line, sizeof line, "c: %s\n", reason);
    fputs(line, stderr);
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

static void check(int code, const char *what) {
    if (code == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    MPI_Error_string(code, text, &length);
    fail("rank %d: %s: %s", rank, what, text);
}

/* The first byte of the share at a place in the order of bytes. */
static uint64_t start(uint64_t bytes, int place) {
    uint64_t more = bytes % ranks;
    return bytes / ranks * place + (more < (uint64_t)place ? more : (uint64_t)place);
}

/* This rank's place in the tree. A subtree is every step-th rank from its root on. */
static struct node find_node(uint64_t bytes) {
    struct node node = {.parent = -1, .all = {0, bytes}};
    int root = 0, first = 0, last = ranks;
    for (int step = 1; root + step < ranks; step *= 2) {
        int middle = first + (ranks - root + 2 * step - 1) / (2 * step);
        struct range given = {start(bytes, middle), start(bytes, last)};
        if ((rank - root) % (2 * step) == 0) {
            node.child[node.children] = root + step;
            node.given[node.children++] = given;
            last = middle;
        } else {
            node.parent = root;
            node.all = given;
            node.children = 0;
            root += step;
            first = middle;
        }
    }
    node.own = (struct range){start(bytes, first), start(bytes, last)};
    return node;
}

static uint64_t sum(const uint8_t *bytes, uint64_t length) {
    uint64_t total = 0, i = 0;
#ifdef __SSE2__
    __m128i zero = _mm_setzero_si128(), lanes[4] = {zero, zero, zero, zero};
    for (; i + 64 <= length; i += 64)
        for (int n = 0; n < 4; n++) {
            __m128i sixteen = _mm_loadu_si128((const __m128i *)(bytes + i + 16 * n));
            lanes[n] = _mm_add_epi64(lanes[n], _mm_sad_epu8(sixteen, zero));
        }
    uint64_t halves[8];
    memcpy(halves, lanes, sizeof halves);
    for (int n = 0; n < 8; n++) total += halves[n];
#else
    for (; i + 4096 <= length; i += 4096) {
        uint32_t part = 0;
        for (int n = 0; n < 4096; n++) part += bytes[i + n];
        total += part;
    }
#endif
    for (; i < length; i++) total += bytes[i];
    return total;
}

/* Waits for a request, and lets others have the processor meanwhile. */
static void finish(MPI_Request *request) {
    int done = 0;
    for (;;) {
        check(MPI_Test(request, &done, MPI_STATUS_IGNORE), "MPI_Test");
        if (done) return;
        sched_yield();
    }
}

static double now_us(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

/* The cell with this number, as far as it lies in a range; empty if it does not. */
static struct range cut(uint64_t number, struct range range) {
    uint64_t low = number * chunk, high = low + chunk;
    struct range cell = {low > range.start ? low : range.start, high < range.end ? high : range.end};
    if (cell.end < cell.start) cell.end = cell.start;
    return cell;
}

static uint64_t cells(struct range range) {
    return range.start == range.end ? 0 : (range.end - 1) / chunk - range.start / chunk + 1;
}

/* One pass: `bytes` are all at rank 0, else room for what comes. The sum of this rank and those below it. */
static uint64_t pass(const struct node *node, uint8_t *bytes, MPI_Request *receives, MPI_Request *sends) {
    uint64_t lowest = node->all.start / chunk, count = cells(node->all), sent = 0, checked = 0;
    uint64_t sums[MOST_CHILDREN];
    MPI_Request results[MOST_CHILDREN];
    for (int i = 0; i < node->children; i++)
        check(MPI_Irecv(&sums[i], 1, MPI_UINT64_T, node->child[i], SUM, MPI_COMM_WORLD, &results[i]), "MPI_Irecv");
    if (node->parent >= 0)
        for (uint64_t i = 0; i < count; i++) {
            struct range cell = cut(lowest + count - 1 - i, node->all);
            check(MPI_Irecv(bytes + (cell.start - node->all.start), (int)(cell.end - cell.start), MPI_BYTE, node->parent, BYTES,
                      MPI_COMM_WORLD, &receives[i]), "MPI_Irecv");
        }
    uint64_t total = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t number = lowest + count - 1 - i;
        if (node->parent >= 0) finish(&receives[i]);
        for (int c = 0; c < node->children; c++) {
            struct range cell = cut(number, node->given[c]);
            if (cell.start < cell.end)
                check(MPI_Isend(bytes + (cell.start - node->all.start), (int)(cell.end - cell.start), MPI_BYTE, node->child[c], BYTES,
                          MPI_COMM_WORLD, &sends[sent++]), "MPI_Isend");
        }
        struct range cell = cut(number, node->own);
        for (uint64_t at = cell.start; at < cell.end; at += STEP) {
            uint64_t length = cell.end - at < STEP ? cell.end - at : STEP;
            total += sum(bytes + (at - node->all.start), length);
            /* A look at the oldest message that is under way moves all of them. */
            int done = 1;
            while (checked < sent && done) {
                check(MPI_Test(&sends[checked], &done, MPI_STATUS_IGNORE), "MPI_Test");
                checked += done;
            }
        }
    }
    for (; checked < sent; checked++) finish(&sends[checked]);
    for (int i = 0; i < node->children; i++) {
        finish(&results[i]);
        total += sums[i];
    }
    if (node->parent >= 0) {
        MPI_Request result;
        check(MPI_Isend(&total, 1, MPI_UINT64_T, node->parent, SUM, MPI_COMM_WORLD, &result), "MPI_Isend");
        finish(&result);
    }
    return total;
}

static void meet(void) {
    MPI_Request met;
    check(MPI_Ibarrier(MPI_COMM_WORLD, &met), "MPI_Ibarrier");
    finish(&met);
}

static uint64_t number(const char *what, const char *text) {
    char *end;
    errno = 0;
    uint64_t value = strtoull(text, &end, 10);
    if (errno || *text < '0' || *text > '9' || *end) fail("%s is '%s', not a number", what, text);
    return value;
}

static uint64_t variable(const char *name, uint64_t usual) {
    const char *text = getenv(name);
    return text ? number(name, text) : usual;
}

static void *room(uint64_t count, size_t size) {
    void *memory = count > SIZE_MAX / size ? NULL : malloc(count * size + 1);
    if (!memory) fail("rank %d: no memory for %" PRIu64 " bytes", rank, count * size);
    return memory;
}

/* Bytes in huge pages, where the system has them for those who ask: one rank's memory is copied to another's twice as fast from these. */
static uint8_t *room_for_bytes(uint64_t size) {
#ifdef MADV_HUGEPAGE
    void *memory;
    if (size >= HUGE_PAGE && !posix_memalign(&memory, HUGE_PAGE, size)) {
        /* Without them, it is slower. */
        madvise(memory, size, MADV_HUGEPAGE);
        return memory;
    }
#endif
    return room(size, 1);
}

static uint8_t *load(const char *path, uint64_t size) {
    FILE *file = fopen(path, "rb");
    struct stat facts;
    if (!file || fstat(fileno(file), &facts)) fail("%s: %s", path, strerror(errno));
    if ((uint64_t)facts.st_size != size) fail("%s: has %" PRIu64 " bytes, expected %" PRIu64, path, (uint64_t)facts.st_size, size);
    uint8_t *bytes = room_for_bytes(size);
    setvbuf(file, NULL, _IONBF, 0);
    if (fread(bytes, 1, size, file) != size) fail("%s: %s", path, ferror(file) ? strerror(errno) : "became shorter");
    fclose(file);
    return bytes;
}

int main(int argc, char **argv) {
    int provided;
    check(MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
    check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    check(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
    check(MPI_Comm_size(MPI_COMM_WORLD, &ranks), "MPI_Comm_size");
    if (argc != 3) fail("expected FILE SIZE");
    uint64_t size = number("SIZE", argv[2]), passes = variable("ADDER_WARM", 3) + 1;
    chunk = variable("ADDER_CHUNK", 1 << 20);
    if (chunk == 0 || chunk > INT32_MAX) fail("ADDER_CHUNK is not between 1 and 2^31-1");
    struct node node = find_node(size);
    double begin = now_us(), *us = room(passes, sizeof *us);
    uint8_t *bytes = rank == 0 ? load(argv[1], size) : NULL;
    double loaded = now_us() - begin;

    uint64_t result = 0, most = cells(node.all);
    MPI_Request *receives = NULL, *sends = NULL;
    for (uint64_t i = 0; i < passes; i++) {
        meet();
        begin = now_us();
        if (i == 0) {
            /* Part of the first pass, as it would be of an only one. A cell may be cut for each child and more. */
            if (rank > 0) bytes = room_for_bytes(node.all.end - node.all.start);
            receives = room(most, sizeof *receives);
            sends = room(most + MOST_CHILDREN, sizeof *sends);
        }
        uint64_t total = pass(&node, bytes, receives, sends);
        us[i] = now_us() - begin;
        if (i > 0 && total != result) fail("rank %d: %" PRIu64 " in one pass, %" PRIu64 " in another", rank, result, total);
        result = total;
    }
    if (rank == 0) {
        printf("{\"adder\":\"c\",\"sum\":%" PRIu64 ",\"ranks\":%d,\"threads\":1,\"load_us\":%.3f,\"cold_us\":%.3f,\"warm_us\":[", result, ranks, loaded, us[0]);
        for (uint64_t i = 1; i < passes; i++) printf("%s%.3f", i > 1 ? "," : "", us[i]);
        puts("]}");
        if (fflush(stdout)) fail("standard output: %s", strerror(errno));
    }
    free(receives), free(sends), free(bytes), free(us);
    check(MPI_Finalize(), "MPI_Finalize");
    return 0;
}
