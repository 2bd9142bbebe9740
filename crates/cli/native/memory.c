/* Copies of memory for the static program on x86-64 (docs/releasing.md).
 *
 * musl copies with `rep movsq`, which begins so slowly that a copy of a few bytes costs as much as one of some
 * hundred; most copies of ours are of a few bytes.
 * Both functions stand here because musl's memmove is made of its memcpy: with one of them here and one there,
 * there would be two of the other. */

#include <stddef.h>
#include <stdint.h>

typedef long long block __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint64_t word __attribute__((aligned(1), may_alias));
typedef uint32_t half __attribute__((aligned(1), may_alias));
typedef uint16_t pair __attribute__((aligned(1), may_alias));

#define AT(type, place) (*(type *)(place))
#define OF(type, place) (*(const type *)(place))

/* Fewer than 16 bytes: the beginning and the end, which overlap; all is read before anything is written. */
static void few(char *to, const char *from, size_t n) {
    if (n >= 8) {
        word first = OF(word, from), last = OF(word, from + n - 8);
        AT(word, to) = first, AT(word, to + n - 8) = last;
    } else if (n >= 4) {
        half first = OF(half, from), last = OF(half, from + n - 4);
        AT(half, to) = first, AT(half, to + n - 4) = last;
    } else if (n >= 2) {
        pair first = OF(pair, from), last = OF(pair, from + n - 2);
        AT(pair, to) = first, AT(pair, to + n - 2) = last;
    } else if (n == 1) {
        *to = *from;
    }
}

/* From 16 to 64 bytes, in the same way. */
static void some(char *to, const char *from, size_t n) {
    block a = OF(block, from), d = OF(block, from + n - 16);
    if (n > 32) {
        block b = OF(block, from + 16), c = OF(block, from + n - 32);
        AT(block, to + 16) = b, AT(block, to + n - 32) = c;
    }
    AT(block, to) = a, AT(block, to + n - 16) = d;
}

static void copy_64(char *to, const char *from) {
    block a = OF(block, from), b = OF(block, from + 16), c = OF(block, from + 32), d = OF(block, from + 48);
    AT(block, to) = a, AT(block, to + 16) = b, AT(block, to + 32) = c, AT(block, to + 48) = d;
}

/* More than 64 bytes, upwards: what is overwritten has been read, but for the last 64 bytes, which are read first. */
static void upwards(char *to, const char *from, size_t n) {
    const char *end = from + n - 64;
    block a = OF(block, end), b = OF(block, end + 16), c = OF(block, end + 32), d = OF(block, end + 48);
    for (; n > 64; n -= 64, from += 64, to += 64) copy_64(to, from);
    to += n;
    AT(block, to - 64) = a, AT(block, to - 48) = b, AT(block, to - 32) = c, AT(block, to - 16) = d;
}

/* The same downwards: the first 64 bytes are read first. */
static void downwards(char *to, const char *from, size_t n) {
    block a = OF(block, from), b = OF(block, from + 16), c = OF(block, from + 32), d = OF(block, from + 48);
    for (; n > 64; n -= 64) copy_64(to + n - 64, from + n - 64);
    AT(block, to) = a, AT(block, to + 16) = b, AT(block, to + 32) = c, AT(block, to + 48) = d;
}

void *memmove(void *to, const void *from, size_t n) {
    if (n < 16)
        few(to, from, n);
    else if (n <= 64)
        some(to, from, n);
    else if ((uintptr_t)to - (uintptr_t)from >= n)
        upwards(to, from, n);
    else
        downwards(to, from, n);
    return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t n) __attribute__((alias("memmove")));
