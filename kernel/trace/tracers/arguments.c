// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a function was called with: the registers that arguments come in, by the names and types of
 * its parameters, if the kernel has them with it (BTF).
 *
 * BTF has no order to find a function by its name in. So the functions of the kernel, and of each
 * module that one was printed of, get an index, the first time that one is printed.
 */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/err.h>
#include <linux/kallsyms.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/stringhash.h>
#include <linux/trace_seq.h>

#include "arguments.h"

#ifdef CONFIG_DEBUG_INFO_BTF
struct btf_function {
	u32	hash;		/* of its name */
	u32	id;
};

/* The functions of the kernel or of a module. */
struct btf_functions {
	struct list_head	list;
	struct btf		*btf;		/* a reference, but on the kernel's */
	char			module[MODULE_NAME_LEN];
	u32			nr;
	struct btf_function	by_hash[];
};

static DEFINE_MUTEX(functions_mutex);
static LIST_HEAD(functions_list);		/* functions_mutex */

static u32 name_hash(const char *name)
{
	return full_name_hash(NULL, name, strlen(name));
}

static int compare_hash(const void *a, const void *b)
{
	const struct btf_function *x = a, *y = b;

	return x->hash < y->hash ? -1 : x->hash > y->hash;
}

/* What is in @btf itself, and not in what it extends. NULL without memory. */
static struct btf_functions *index_functions(struct btf *btf, const char *module)
{
	u32 first = btf_is_module(btf) ? btf_nr_types(btf_base_btf(btf)) : 1;
	u32 end = btf_nr_types(btf), nr = 0;
	struct btf_functions *functions;
	const struct btf_type *type;

	for (u32 id = first; id < end; id++)
		nr += btf_type_is_func(btf_type_by_id(btf, id));
	functions = kvzalloc(struct_size(functions, by_hash, nr), GFP_KERNEL);
	if (!functions)
		return NULL;
	for (u32 id = first; id < end; id++) {
		type = btf_type_by_id(btf, id);
		if (!btf_type_is_func(type))
			continue;
		functions->by_hash[functions->nr].hash =
			name_hash(btf_name_by_offset(btf, type->name_off) ?: "");
		functions->by_hash[functions->nr++].id = id;
	}
	sort(functions->by_hash, functions->nr, sizeof(functions->by_hash[0]), compare_hash, NULL);
	functions->btf = btf;
	strscpy(functions->module, module);
	list_add(&functions->list, &functions_list);
	return functions;
}

#ifdef CONFIG_DEBUG_INFO_BTF_MODULES
/* To look for something of a module that has none takes long, and is in vain each time. */
static bool module_has_btf(const char *name)
{
	const struct module *mod;

	guard(preempt)();
	mod = find_module(name);
	return mod && mod->btf_data_size;
}
#else
static bool module_has_btf(const char *name)
{
	return false;
}
#endif

/*
 * functions_mutex. Of @module, "" for the kernel. What a module has can only be asked for by the
 * name of something in it, and a name that the kernel has too leads there.
 */
static struct btf_functions *functions_of(const char *module, const char *name)
{
	struct btf_functions *functions;
	struct btf *btf;

	list_for_each_entry(functions, &functions_list, list)
		if (!strcmp(functions->module, module))
			return functions;
	if (!*module) {
		btf = bpf_get_btf_vmlinux();
		return IS_ERR_OR_NULL(btf) ? NULL : index_functions(btf, module);
	}
	if (!module_has_btf(module) || bpf_find_btf_id(name, BTF_KIND_FUNC, &btf) < 0)
		return NULL;
	functions = NULL;
	if (btf_is_module(btf) && !strcmp(btf_get_name(btf), module))
		functions = index_functions(btf, module);
	if (!functions)
		btf_put(btf);
	return functions;
}

static const struct btf_type *find_proto(const struct btf_functions *functions, const char *name)
{
	u32 hash = name_hash(name), from = 0, to = functions->nr;
	struct btf *btf = functions->btf;

	while (from < to) {
		u32 mid = from + (to - from) / 2;

		if (functions->by_hash[mid].hash < hash)
			from = mid + 1;
		else
			to = mid;
	}
	for (; from < functions->nr && functions->by_hash[from].hash == hash; from++) {
		const struct btf_type *type = btf_type_by_id(btf, functions->by_hash[from].id);
		const char *its = btf_name_by_offset(btf, type->name_off);

		if (!its || strcmp(its, name))
			continue;
		type = btf_type_by_id(btf, type->type);
		return type && btf_type_is_func_proto(type) ? type : NULL;
	}
	return NULL;
}

#ifdef CONFIG_MODULES
static int forget_module(struct notifier_block *nb, unsigned long state, void *data)
{
	struct btf_functions *functions, *next;
	struct module *mod = data;

	/* While the last one went somebody may have printed one of its functions once more. */
	if (state != MODULE_STATE_GOING && state != MODULE_STATE_COMING)
		return NOTIFY_DONE;
	guard(mutex)(&functions_mutex);
	list_for_each_entry_safe(functions, next, &functions_list, list) {
		if (strcmp(functions->module, mod->name))
			continue;
		list_del(&functions->list);
		btf_put(functions->btf);
		kvfree(functions);
	}
	return NOTIFY_DONE;
}

static struct notifier_block forget_module_nb = { .notifier_call = forget_module };

static int __init arguments_init(void)
{
	return register_module_notifier(&forget_module_nb);
}
core_initcall(arguments_init);
#endif

/* --- values */

#define WORD		((u32)sizeof(long))
#define PAIR		(2 * WORD)

/* Arguments that are not printed yet. */
struct arguments {
	const unsigned long	*args;
	unsigned int		next;
};

static bool has_words(const struct arguments *a, unsigned int words)
{
	return a->next + words <= FTRACE_REGS_MAX_ARGS;
}

/* The part of the last register above @size bytes is anything. */
static unsigned long take_word(struct arguments *a, u32 size)
{
	unsigned long value = a->args[a->next++];

	return size && size < WORD ? value & GENMASK(size * BITS_PER_BYTE - 1, 0) : value;
}

static long take_signed(struct arguments *a, u32 size)
{
	unsigned long value = take_word(a, size);

	return size && size < WORD ? sign_extend64(value, size * BITS_PER_BYTE - 1) : value;
}

/*
 * What is no number: its registers, or where it is in memory. What finds no room in registers is on
 * the stack; only x86_64 goes on with the registers that are left.
 */
static bool put_words(struct trace_seq *s, struct arguments *a, const struct btf_type *type)
{
	unsigned int words = DIV_ROUND_UP(type->size, WORD);
	u32 size = type->size;

	trace_seq_printf(s, "(%s)", btf_type_str(type));
	if (IS_ENABLED(CONFIG_X86) && (size > PAIR || !has_words(a, words))) {
		trace_seq_puts(s, "[...]");
		return true;
	}
	if (size > PAIR) {
		trace_seq_printf(s, "*0x%lx", take_word(a, WORD));
		return true;
	}
	if (IS_ENABLED(CONFIG_ARM64) && btf_type_is_int(type))
		a->next = round_up(a->next, 2);
	if (IS_ENABLED(CONFIG_ARM64) && !has_words(a, words)) {
		trace_seq_puts(s, "[...]");
		return false;
	}
	trace_seq_putc(s, '[');
	for (; size; size -= min(size, WORD)) {
		if (size < type->size)
			trace_seq_putc(s, ':');
		if (!has_words(a, 1)) {
			trace_seq_puts(s, "...]");
			return false;
		}
		trace_seq_printf(s, "0x%lx", take_word(a, min(size, WORD)));
	}
	trace_seq_putc(s, ']');
	return true;
}

/* One in a register, of which there is one left. False: those behind it are on the stack. */
static bool put_value(struct trace_seq *s, struct arguments *a, const struct btf_type *type)
{
	switch (type ? BTF_INFO_KIND(type->info) : BTF_KIND_UNKN) {
	case BTF_KIND_UNKN:
		trace_seq_putc(s, '?');
		fallthrough;
	case BTF_KIND_PTR:
		trace_seq_printf(s, "0x%lx", take_word(a, WORD));
		return true;
	case BTF_KIND_INT:
		if (type->size > WORD)
			return put_words(s, a, type);
		if (btf_type_is_signed_int(type))
			trace_seq_printf(s, "%ld", take_signed(a, type->size));
		else
			trace_seq_printf(s, "0x%lx", take_word(a, type->size));
		return true;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		if (btf_type_kflag(type))
			trace_seq_printf(s, "%ld", take_signed(a, type->size));
		else
			trace_seq_printf(s, "%lu", take_word(a, type->size));
		return true;
	}
	return put_words(s, a, type);
}

/* False if nobody knows what @func takes. */
static bool put_named(struct trace_seq *s, const unsigned long *args, unsigned long func)
{
	struct arguments a = { .args = args };
	char name[KSYM_SYMBOL_LEN], *module;
	struct btf_functions *functions;
	const struct btf_type *proto;
	const struct btf_param *param;
	struct btf *btf;

	/* In a dump after an oops nothing is looked up. */
	if (irqs_disabled())
		return false;
	sprint_symbol_no_offset(name, func);
	module = strstr(name, " [");
	if (module) {
		*module = '\0';
		module += 2;
		module[strcspn(module, " ]")] = '\0';
	}

	guard(mutex)(&functions_mutex);
	functions = functions_of(module ?: "", name);
	proto = functions ? find_proto(functions, name) : NULL;
	if (!proto)
		return false;
	btf = functions->btf;
	param = (const struct btf_param *)(proto + 1);
	for (unsigned int n = 0; n < btf_type_vlen(proto); n++, param++) {
		const char *its = btf_name_by_offset(btf, param->name_off);

		if (n)
			trace_seq_puts(s, ", ");
		/* the rest is on the stack, or any number of others */
		if (!has_words(&a, 1) || !param->type) {
			trace_seq_puts(s, "...");
			break;
		}
		if (its && *its)
			trace_seq_printf(s, "%s=", its);
		if (!put_value(s, &a, btf_type_skip_modifiers(btf, param->type, NULL)))
			a.next = FTRACE_REGS_MAX_ARGS;
	}
	return true;
}
#else
static bool put_named(struct trace_seq *s, const unsigned long *args, unsigned long func)
{
	return false;
}
#endif

/**
 * print_function_args - a call's arguments, in brackets
 * @s:		where to
 * @args:	the registers, FTRACE_REGS_MAX_ARGS of them
 * @func:	the function
 *
 * By name, as the function declares them; without BTF all registers.
 *
 * Context: task; with interrupts off there are no names.
 */
void print_function_args(struct trace_seq *s, const unsigned long *args, unsigned long func)
{
	trace_seq_putc(s, '(');
	if (!put_named(s, args, func))
		for (int i = 0; i < FTRACE_REGS_MAX_ARGS; i++)
			trace_seq_printf(s, "%s0x%lx", i ? ", " : "", args[i]);
	trace_seq_putc(s, ')');
}
