#include <limits.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

// The linker sends what DuckDB's allocator asks of its own jemalloc through the functions below (--wrap), and the
// operators new and delete stand for those of the C++ library. Both count into `held`.

extern void *__real_duckdb_je_malloc(size_t size);
extern void *__real_duckdb_je_realloc(void *p, size_t size);
extern void __real_duckdb_je_free(void *p);
extern size_t duckdb_je_malloc_usable_size(const void *p);
extern int duckdb_je_mallctl(const char *name, void *old, size_t *old_size, void *value, size_t value_size);
extern void _ZSt17__throw_bad_allocv(void); // std::__throw_bad_alloc

// Requests below `block` get a quarter more than is allowed, so that the blocks of a modest statement are still to be had
// when the large values of another have taken all. Those below `always` get half more: code that cleans up or reports
// an error should get the little that it asks for.
enum { always = 64 << 10, block = 1 << 20 };

// What was freed is given back to the system after this much, since the allocator keeps it for a while: a statement that
// makes and drops large values would hold far more than it uses.
enum { keep = 128 << 20 };

static _Atomic long held;
static _Atomic long allowed = 64 << 20; // for what DuckDB makes before one is opened
static _Atomic long freed; // since memory was given back

static int refused(size_t more) {
	if (more > LONG_MAX / 2) return 1;
	long most = atomic_load_explicit(&allowed, memory_order_relaxed);
	if (more < always) most += most / 2;
	else if (more < block) most += most / 4;
	return atomic_load_explicit(&held, memory_order_relaxed) + (long)more > most;
}

static void count(size_t more, size_t less) {
	atomic_fetch_add_explicit(&held, (long)more - (long)less, memory_order_relaxed);
}

// A fixed threshold: the C library's own grows with what is freed, and large values then stay in its heap.
__attribute__((constructor)) static void map_large_values(void) { mallopt(M_MMAP_THRESHOLD, 1 << 20); }

static void give_back(size_t size) {
	if (size < always || atomic_fetch_add_explicit(&freed, (long)size, memory_order_relaxed) + (long)size < keep) return;
	atomic_store_explicit(&freed, 0, memory_order_relaxed);
	duckdb_je_mallctl("arena.4096.purge", NULL, NULL, NULL, 0); // 4096 stands for all arenas
}

void flightsrv_allow(long bytes) { atomic_fetch_add(&allowed, bytes); }

long flightsrv_held(void) { return atomic_load(&held); }

void *__wrap_duckdb_je_malloc(size_t size) {
	if (refused(size)) return NULL;
	void *p = __real_duckdb_je_malloc(size);
	if (p) count(duckdb_je_malloc_usable_size(p), 0);
	return p;
}

void *__wrap_duckdb_je_realloc(void *p, size_t size) {
	size_t before = p ? duckdb_je_malloc_usable_size(p) : 0;
	// A block that moves stands twice for a while.
	if (size > before && refused(size)) return NULL;
	void *q = __real_duckdb_je_realloc(p, size);
	if (q) count(duckdb_je_malloc_usable_size(q), before);
	return q;
}

void __wrap_duckdb_je_free(void *p) {
	size_t size = p ? duckdb_je_malloc_usable_size(p) : 0;
	count(0, size);
	__real_duckdb_je_free(p);
	give_back(size);
}

// What stands in the C library's heap, and the most of it since that was trimmed.
static _Atomic long made, most_made;

// The C library keeps what was freed in the heaps of its threads. They are trimmed each time that half of what was made is
// gone: each thread that a large statement ran in would keep all that it needed.
static void trim(long now) {
	long most = atomic_load_explicit(&most_made, memory_order_relaxed);
	if (most < keep || now > most / 2) return;
	if (atomic_compare_exchange_strong_explicit(&most_made, &most, now, memory_order_relaxed, memory_order_relaxed)) malloc_trim(0);
}

// operator new(size_t)
void *_Znwm(size_t size) {
	void *p = refused(size) ? NULL : malloc(size ? size : 1);
	if (!p) _ZSt17__throw_bad_allocv();
	long n = (long)malloc_usable_size(p);
	count(n, 0);
	n += atomic_fetch_add_explicit(&made, n, memory_order_relaxed);
	if (n > atomic_load_explicit(&most_made, memory_order_relaxed)) atomic_store_explicit(&most_made, n, memory_order_relaxed);
	return p;
}

// operator delete(void *)
void _ZdlPv(void *p) {
	if (!p) return;
	long n = (long)malloc_usable_size(p);
	count(0, n);
	free(p);
	trim(atomic_fetch_sub_explicit(&made, n, memory_order_relaxed) - n);
}
