// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hit. What is to be done was worked out when the trigger was written: here are only loads at
 * known places, a look at the map, and sums. Any context, preemption off; nothing waits or
 * allocates.
 *
 *	key -> values of other hists' variables -> entry -> sums, variables -> own references
 *	-> actions
 *
 * Most hists have one number as their key and only add up, or remember numbers: those go a short
 * way, and the shortest if they only count. hist_hit() is called for the latter, hist_hit_more()
 * for all others.
 */
#include <linux/bitops.h>
#include <linux/percpu.h>
#include <linux/ring_buffer.h>
#include <linux/sched.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/unaligned.h>

#include "../events/events.h"
#include "../events/filter.h"
#include "../printf.h"
#include "../record/write.h"
#include "internal.h"

/*
 * Keys and references of the hits that are under way on a CPU: longer than what should be on a
 * stack. What nests takes behind, and gives back before the one that it interrupted goes on.
 * A synthetic event that is fired by a hit has hists, too. What fires itself is ended in each
 * context by synth_event_fire(); @depth ends what contexts that interrupt each other add up to.
 */
#define SCRATCH_WORDS	2040
#define SCRATCH_DEPTH	12

struct hist_scratch {
	u32	used;
	u32	depth;
	u64	words[SCRATCH_WORDS];
};

static struct hist_scratch __percpu *scratches;

/*
 * Where tracing's own frames end in a stack that is taken in a trigger: where event_stack_top says,
 * or with the writer of markers. They are among the first OWN_FRAMES.
 */
#define OWN_FRAMES	10
static struct trace_text marker_text;
static const struct trace_stack_top marker_top = { .texts = &marker_text, .nr = 1 };

/**
 * hist_hit_init - memory for hits, before there is the first
 *
 * Context: task, event_mutex. It stays.
 * Return: 0 or -ENOMEM.
 */
int hist_hit_init(void)
{
	if (scratches)
		return 0;
	trace_marker_text(&marker_text);
	scratches = alloc_percpu(struct hist_scratch);
	return scratches ? 0 : -ENOMEM;
}

/* --- numbers */

/*
 * A number at the upper end of a word, which is moved down; @arg masks off what is not its own.
 * Where eight bytes may be loaded from anywhere they are those that end with the number.
 */
static __always_inline u64 load_word(const struct hist_step *step, const void *rec)
{
	const void *at = rec + step->offset;
	u64 word;

	if (FILTER_LOADS_WORDS)
		word = get_unaligned((const u64 *)at);
	else if (step->size == 4)
		word = (u64)*(u32 *)at << 32;
	else if (step->size == 8)
		word = *(u64 *)at;
	else if (step->size == 2)
		word = (u64)*(u16 *)at << 48;
	else
		word = (u64)*(u8 *)at << 56;
	return ((s64)word >> step->shift) & step->arg;
}

static noinline u64 load_typed(const struct hist_step *step, const void *rec)
{
	const void *at = rec + step->offset;

	switch (step->size) {
	case 1:
		return step->is_signed ? (u64)*(s8 *)at : *(u8 *)at;
	case 2:
		return step->is_signed ? (u64)get_unaligned((s16 *)at) : get_unaligned((u16 *)at);
	case 4:
		return step->is_signed ? (u64)get_unaligned((s32 *)at) : get_unaligned((u32 *)at);
	default:
		return get_unaligned((u64 *)at);
	}
}

/* rounded up */
static u64 log2_of(u64 value)
{
	return value > 1 ? fls64(value - 1) : 0;
}

static u64 divide(u64 a, u64 b)
{
	return b ? a / b : -1ULL;
}

static u64 now(const struct hist *hist)
{
	return ring_buffer_time_stamp(hist->tr->array_buffer.buffer);
}

static u64 time_of(const struct hist_hit *hit, bool us)
{
	const struct hist *hist = hit->hist;
	u64 ts = hit->time ?: now(hist);

	/* what is no time has no microseconds */
	return us && trace_clock_in_ns(hist->tr) ? trace_ns_to_us(ts) : ts;
}

static noinline u64 run_steps(const struct hist_field *field, const struct hist_hit *hit)
{
	u64 stack[HIST_STEPS_MAX] __uninitialized;	/* 128 bytes that nobody reads first */
	u64 *top = stack;

	for (unsigned int i = 0; i < field->nr_steps; i++) {
		const struct hist_step *step = &field->steps[i];

		switch ((enum hist_op)step->op) {
		case HIST_OP_WORD:
			*top++ = load_word(step, hit->rec);
			break;
		case HIST_OP_LOAD:
			*top++ = load_typed(step, hit->rec);
			break;
		case HIST_OP_CONST:
			*top++ = step->arg;
			break;
		case HIST_OP_TIME:
			*top++ = time_of(hit, step->arg);
			break;
		case HIST_OP_CPU:
			*top++ = raw_smp_processor_id();
			break;
		case HIST_OP_PID:
			*top++ = current->pid;
			break;
		case HIST_OP_REF:
			*top++ = hit->refs[step->index];
			break;
		case HIST_OP_ADD:
			top--;
			top[-1] += top[0];
			break;
		case HIST_OP_SUB:
			top--;
			top[-1] -= top[0];
			break;
		case HIST_OP_MUL:
			top--;
			top[-1] *= top[0];
			break;
		case HIST_OP_DIV:
			top--;
			top[-1] = divide(top[-1], top[0]);
			break;
		case HIST_OP_NEG:
			top[-1] = -top[-1];
			break;
		case HIST_OP_LOG2:
			top[-1] = log2_of(top[-1]);
			break;
		case HIST_OP_BUCKETS:
			top[-1] -= top[-1] % step->arg;
			break;
		}
	}
	return stack[0];
}

static __always_inline u64 value_of(const struct hist_field *field, const struct hist_hit *hit)
{
	if (likely(field->is_word))
		return load_word(&field->steps[0], hit->rec);
	return run_steps(field, hit);
}

/**
 * hist_value - the value of a number
 * @field: a number
 * @hit: with its record, and its references if @field has some
 *
 * Context: any, preemption off.
 * Return: the value, extended by its sign if it is signed.
 */
u64 hist_value(const struct hist_field *field, const struct hist_hit *hit)
{
	return value_of(field, hit);
}

/* --- strings and stacks */

/* Kernel or user memory, which may not be there: then it is empty. Room for HIST_STRING_MAX. */
static long string_elsewhere(const void *from, char *to)
{
	long len;

	if ((unsigned long)from < TASK_SIZE)
		len = strncpy_from_user_nofault(to, (const void __user *)from, HIST_STRING_MAX);
	else
		len = strncpy_from_kernel_nofault(to, from, HIST_STRING_MAX);
	if (len <= 0) {
		*to = 0;
		len = 1;
	}
	return len;
}

/* Where a string in the record is, and how long it may be. */
static const char *string_in_record(const struct hist_field *field, const struct hist_hit *hit,
				    unsigned int *max)
{
	u32 loc;

	if (field->source == HIST_FROM_ARRAY) {
		*max = field->length;
		return hit->rec + field->offset;
	}
	loc = get_unaligned((u32 *)(hit->rec + field->offset));
	*max = loc >> 16;
	loc &= 0xffff;
	if (field->source == HIST_FROM_RELATIVE)
		loc += field->offset + sizeof(u32);
	return hit->rec + loc;
}

/**
 * hist_string - copy a string
 * @field: a string
 * @hit: with its record and references
 * @to: of HIST_STRING_MAX bytes
 *
 * Context: any, preemption off.
 * Return: its length, with the 0 at its end.
 */
unsigned int hist_string(const struct hist_field *field, const struct hist_hit *hit, char *to)
{
	unsigned int max = HIST_STRING_MAX;
	const char *from;
	size_t len;

	switch (field->source) {
	case HIST_FROM_POINTER:
		return string_elsewhere(*(void **)(hit->rec + field->offset), to);
	case HIST_FROM_REF:
		from = (const char *)hit->refs[field->ref];
		break;
	default:
		from = string_in_record(field, hit, &max);
	}
	len = strnlen(from, min_t(unsigned int, max, HIST_STRING_MAX - 1));
	memcpy(to, from, len);
	to[len] = 0;
	return len + 1;
}

/* How many of the first frames are tracing's own. */
static unsigned int own_frames(const unsigned long *frames, unsigned int nr)
{
	nr = min(nr, OWN_FRAMES);
	return trace_frames_above(frames, nr, &event_stack_top) ?:
	       trace_frames_above(frames, nr, &marker_top);
}

static unsigned int stack_here(u64 *to)
{
	unsigned long frames[HIST_STACK_DEPTH + OWN_FRAMES];
	unsigned int nr, own;

	if (unlikely(!trace_may_walk()))
		return 0;
	nr = stack_trace_save(frames, ARRAY_SIZE(frames), 0);
	own = own_frames(frames, nr);
	nr = min_t(unsigned int, nr - own, HIST_STACK_DEPTH);
	memcpy(to, frames + own, nr * sizeof(*to));
	return nr;
}

/**
 * hist_stack - copy a stack
 * @field: a stack
 * @hit: with its record and references
 * @to: of HIST_STACK_DEPTH words; behind the frames there is a 0 if there is room
 *
 * Context: any, preemption off.
 * Return: the number of frames.
 */
noinline unsigned int hist_stack(const struct hist_field *field, const struct hist_hit *hit,
				 u64 *to)
{
	unsigned int nr, max;
	const u64 *from;

	switch (field->source) {
	case HIST_FROM_HERE:
		nr = stack_here(to);
		break;
	case HIST_FROM_REF:
		from = (const u64 *)hit->refs[field->ref];
		for (nr = 0; nr < HIST_STACK_DEPTH && from[nr]; nr++)
			to[nr] = from[nr];
		break;
	default:
		from = (const u64 *)string_in_record(field, hit, &max);
		if (field->source == HIST_FROM_COUNTED && max) {
			from++;
			max -= sizeof(u64);
		}
		max = min_t(unsigned int, max / sizeof(u64), HIST_STACK_DEPTH);
		for (nr = 0; nr < max; nr++) {
			to[nr] = get_unaligned(from + nr);
			if (!to[nr])
				break;
		}
	}
	if (nr < HIST_STACK_DEPTH)
		to[nr] = 0;
	return nr;
}

/* --- variables of an entry */

static unsigned long *set_of(const struct hist *hist, const struct hist_entry *entry)
{
	return (unsigned long *)(hist_vars(hist, entry) + hist->nr_vars);
}

static bool var_is_set(const struct hist *hist, const struct hist_entry *entry, unsigned int slot)
{
	/* pairs with var_set() */
	return smp_load_acquire(set_of(hist, entry)) & BIT(slot);
}

/**
 * hist_var_get - the value of a variable
 * @hist: the hist
 * @entry: an entry of it
 * @slot: the variable, which is set
 *
 * Context: any, preemption off, or event_mutex.
 * Return: a number, or a pointer to the entry's string or stack.
 */
u64 hist_var_get(const struct hist *hist, const struct hist_entry *entry, unsigned int slot)
{
	if (hist->texts_at[slot])
		return (u64)hist_entry_data(hist->map, entry) + hist->texts_at[slot];
	return READ_ONCE(hist_vars(hist, entry)[slot]);
}

/*
 * Who sees the bit sees the value. Where it is set already there is just one store, unless somebody
 * clears it: he may have read the value of before.
 */
static void var_set(const struct hist *hist, struct hist_entry *entry, unsigned int slot, u64 value)
{
	unsigned long *set = set_of(hist, entry);

	WRITE_ONCE(hist_vars(hist, entry)[slot], value);
	if (READ_ONCE(*set) & BIT(slot) && !(READ_ONCE(hist->vars_all) & HIST_VARS_TAKEN))
		return;
	smp_mb__before_atomic();	/* pairs with var_is_set() and var_take() */
	set_bit(slot, set);
}

/*
 * Of those who read it at the same time one has it. The bit goes first, a full barrier: what is set
 * behind that stays set, and what was set in front of it is read. A value that is set in between
 * may be read twice.
 */
static bool var_take(const struct hist *hist, struct hist_entry *entry, unsigned int slot)
{
	return test_and_clear_bit(slot, set_of(hist, entry));
}

static __always_inline void var_update(const struct hist *hist, struct hist_entry *entry,
				       unsigned int slot, const struct hist_field *field,
				       const struct hist_hit *hit)
{
	void *text = hist_entry_data(hist->map, entry) + hist->texts_at[slot];
	u64 value = 0;

	if (field->kind == HIST_NUMBER)
		value = value_of(field, hit);
	else if (field->kind == HIST_STRING)
		hist_string(field, hit, text);
	else
		hist_stack(field, hit, text);
	var_set(hist, entry, slot, value);
}

/**
 * hist_var_update - give a variable what a field says
 * @hist: the hist
 * @entry: an entry of it
 * @slot: the variable
 * @field: of the same kind
 * @hit: the hit
 *
 * A string or a stack is copied into the entry. When two CPUs do so at once, or one reads
 * meanwhile, it may be of both; it has always an end.
 *
 * Context: any, preemption off.
 */
void hist_var_update(const struct hist *hist, struct hist_entry *entry, unsigned int slot,
		     const struct hist_field *field, const struct hist_hit *hit)
{
	var_update(hist, entry, slot, field, hit);
}

/* --- the hit */

/* A string takes as many words as it needs, and its last one has the 0: keys can be told apart. */
static unsigned int key_string(const struct hist_field *field, const struct hist_hit *hit, u64 *to)
{
	unsigned int len = hist_string(field, hit, (char *)to);
	unsigned int words = DIV_ROUND_UP(len, sizeof(u64));

	memset((char *)to + len, 0, words * sizeof(u64) - len);
	return words;
}

static __always_inline void make_key(const struct hist *hist, struct hist_hit *hit)
{
	u64 *at = hit->key;

	for (unsigned int i = 0; i < hist->nr_keys; i++) {
		const struct hist_field *field = hist->keys[i];

		if (field->kind == HIST_NUMBER) {
			*at++ = value_of(field, hit);
		} else if (field->kind == HIST_STRING) {
			at += key_string(field, hit, at);
		} else {
			unsigned int nr = hist_stack(field, hit, at);

			/* without the 0 only when it is full, and then its length is known */
			at += nr < HIST_STACK_DEPTH ? nr + 1 : nr;
		}
		hit->prefix[i] = at - hit->key;
	}
	hit->words = at - hit->key;
}

/*
 * A reference's entry has the key of the hit, or as many of the first keys as its hist has.
 * False: there is none, or the variable is not set.
 */
static bool resolve(const struct hist *hist, struct hist_hit *hit, unsigned int i)
{
	const struct hist_ref *ref = &hist->refs[i];
	struct hist *target = READ_ONCE(ref->hist);
	struct hist_entry *entry;

	if (!target)
		return false;
	if (ref->own) {
		entry = hit->entry;
	} else {
		if (target->nr_keys > hist->nr_keys)
			return false;
		entry = hist_map_find(target->map, hit->key, hit->prefix[target->nr_keys - 1]);
		if (!entry)
			return false;
	}
	if (!var_is_set(target, entry, ref->slot))
		return false;
	if (ref->once && !ref->own && !var_take(target, entry, ref->slot))
		return false;
	hit->refs[i] = hist_var_get(target, entry, ref->slot);
	return true;
}

static bool resolve_all(const struct hist *hist, struct hist_hit *hit, bool own)
{
	for (unsigned int i = 0; i < hist->nr_refs; i++) {
		if (hist->refs[i].own == own && !resolve(hist, hit, i))
			return false;
	}
	return true;
}

static __always_inline void add_values(const struct hist *hist, const struct hist_hit *hit,
				       local64_t *sums)
{
	struct hist_map *map = hist->map;

	hist_map_add(map, hit->entry, sums, 0, 1);
	for (unsigned int i = 1; i < hist->nr_values; i++) {
		const struct hist_field *field = hist->values[i];

		if (!(field->flags & HIST_FL_HITCOUNT))
			hist_map_add(map, hit->entry, sums, field->slot, value_of(field, hit));
	}
}

static void add_to_sketches(const struct hist *hist, const struct hist_hit *hit)
{
	for (unsigned int i = 1; i < hist->nr_values; i++) {
		if (hist->values[i]->flags & HIST_FL_QUANTILES)
			hist_sketch_add(hist_sketch_of(hist, hit->entry, i),
					hist_value(hist->values[i], hit));
	}
}

static __always_inline void hit_with_scratch(struct hist *hist, struct hist_hit *hit)
{
	make_key(hist, hit);
	if (hist->nr_refs && !resolve_all(hist, hit, false))
		return;
	hit->entry = hist_map_insert(hist->map, hit->key, hit->words);
	if (!hit->entry)
		return;
	add_values(hist, hit, hist_map_sums(hist->map, hit->entry));
	if (hist->nr_sketches)
		add_to_sketches(hist, hit);
	for (unsigned int i = 0; i < hist->nr_vars; i++) {
		const struct hist_field *var = hist->vars[i];

		if (!(var->flags & HIST_FL_HIDDEN))
			var_update(hist, hit->entry, i, var, hit);
	}
	if (hist->nr_actions && resolve_all(hist, hit, true))
		hist_actions_run(hist, hit);
}

static noinline void hist_hit_whole(struct hist *hist, void *rec, u64 time)
{
	struct hist_scratch *scratch = this_cpu_ptr(scratches);
	u32 used = scratch->used, need = hist->nr_refs + hist->map->key_words;
	struct hist_hit hit = { .hist = hist, .rec = rec, .time = time };

	if (unlikely(used + need > SCRATCH_WORDS || scratch->depth >= SCRATCH_DEPTH)) {
		hist_map_drop(hist->map);
		return;
	}
	WRITE_ONCE(scratch->used, used + need);
	WRITE_ONCE(scratch->depth, scratch->depth + 1);
	barrier();	/* what interrupts us takes what is behind */
	/* an event happens once: two variables that are set to its time are equal */
	if (!time && hist->nr_times > 1)
		hit.time = now(hist);
	hit.refs = scratch->words + used;
	hit.key = hit.refs + hist->nr_refs;
	hit_with_scratch(hist, &hit);
	barrier();
	WRITE_ONCE(scratch->depth, scratch->depth - 1);
	WRITE_ONCE(scratch->used, used);
}

/* A number is the key, and the key is new, or the CPU; or the map is full. */
static noinline bool hit_new(struct hist_map *map, u64 key, struct hist_entry **entry,
			     local64_t **sums)
{
	*entry = hist_map_insert(map, &key, 1);
	if (!*entry)
		return false;
	*sums = hist_map_sums(map, *entry);
	return true;
}

/* Numbers, which all have a value then. */
static __always_inline void set_vars(const struct hist *hist, const struct hist_hit *hit)
{
	u64 *at = hist_vars(hist, hit->entry), *end = at + hist->nr_vars;
	struct hist_field *const *var = hist->vars;
	unsigned long *set = (unsigned long *)end;

	do
		WRITE_ONCE(*at, value_of(*var++, hit));
	while (++at < end);
	/* HIST_VARS_TAKEN is never set there */
	if (likely(!(READ_ONCE(hist->vars_all) & ~READ_ONCE(*set))))
		return;
	smp_mb__before_atomic();	/* pairs with var_is_set() and var_take() */
	atomic_long_or(hist->vars_all & ~HIST_VARS_TAKEN, (atomic_long_t *)set);
}

static __always_inline void hist_hit_adds(struct hist *hist, void *rec, u64 time)
{
	struct hist_map *map = hist->map;
	struct hist_hit hit __uninitialized;
	local64_t *sums;
	u64 key, slot;

	hit.hist = hist;
	hit.rec = rec;
	hit.time = time;
	key = value_of(hist->keys[0], &hit);
	if (unlikely(!hist_map_hit_word(map, key, &hit.entry, &sums, &slot)) &&
	    (hist_map_drop_word(map, key, slot) || !hit_new(map, key, &hit.entry, &sums)))
		return;
	add_values(hist, &hit, sums);
	if (hist->nr_vars)
		set_vars(hist, &hit);
}

/**
 * hist_hit_more - an event was hit that has a hist; for one that does more than count
 * @hook: of the trigger
 * @rec: the record
 * @time: of the record in the buffer, if the hist reads it; 0: it is not there
 *
 * Context: any, preemption off.
 */
void hist_hit_more(struct event_trigger_hook *hook, void *rec, u64 time)
{
	struct hist *hist = event_trigger_of(hook)->use.data;
	unsigned long state = READ_ONCE(hist->state);

	if (unlikely(state & HIST_STOPPED))
		return;
	if (state & HIST_WHOLE)
		hist_hit_whole(hist, rec, time);
	else
		hist_hit_adds(hist, rec, time);
	hist_poll_hit();
}

/**
 * hist_hit - an event was hit that has a hist; for any, but made for one that only counts
 * @hook: of the trigger
 * @rec: the record
 * @time: of the record in the buffer, if the hist reads it; 0: it is not there
 *
 * Context: any, preemption off.
 */
void hist_hit(struct event_trigger_hook *hook, void *rec, u64 time)
{
	struct hist *hist = event_trigger_of(hook)->use.data;
	struct hist_entry *entry;
	local64_t *sums;
	u64 key, slot;

	if (static_branch_unlikely(&hist_polled))
		goto rest;
	if (unlikely(READ_ONCE(hist->state) != HIST_COUNTS))
		goto rest;
	key = load_word(&hist->key, rec);
	if (likely(hist_map_hit_word(hist->map, key, &entry, &sums, &slot))) {
		local64_inc(sums);
		return;
	}
	if (hist_map_drop_word(hist->map, key, slot))
		return;

	/* One call, in one place; GCC 12 makes a stack frame for all of it nevertheless. */
rest:
	hist_hit_more(hook, rec, time);
	barrier();	/* for the compiler alone: no jump, it needs the frame in any case */
}
