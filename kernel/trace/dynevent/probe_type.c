// SPDX-License-Identifier: GPL-2.0-only
/* The types that arguments of probes can have, and how their values are printed. */
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/unaligned.h>

#include "probe_type.h"

/* Values lie in the record as the arguments come, which is aligned to nothing. */
#define NUMBER(_name, type, get, fmt)							\
static void print_##_name(struct trace_seq *s, const void *data, const void *record)	\
{											\
	trace_seq_printf(s, fmt, (type)get_unaligned((const get *)data));		\
}

NUMBER(u8, u8, u8, "%u")
NUMBER(u16, u16, u16, "%u")
NUMBER(u32, u32, u32, "%u")
NUMBER(u64, u64, u64, "%llu")
NUMBER(s8, s8, s8, "%d")
NUMBER(s16, s16, s16, "%d")
NUMBER(s32, s32, s32, "%d")
NUMBER(s64, s64, s64, "%lld")
NUMBER(x8, u8, u8, "0x%x")
NUMBER(x16, u16, u16, "0x%x")
NUMBER(x32, u32, u32, "0x%x")
NUMBER(x64, u64, u64, "0x%llx")
NUMBER(char, u8, u8, "'%c'")

static void print_symbol(struct trace_seq *s, const void *data, const void *record)
{
	trace_seq_printf(s, "%pS", (void *)(unsigned long)get_unaligned((const u64 *)data));
}

static void print_string(struct trace_seq *s, const void *data, const void *record)
{
	u32 loc = get_unaligned((const u32 *)data);

	if (!(loc >> 16))
		trace_seq_puts(s, "(fault)");
	else
		trace_seq_printf(s, "\"%s\"", (const char *)record + (loc & 0xffff));
}

#define TYPE(_name, _field, _fmt, _size, _signed)					\
	{ .name = #_name, .field = _field, .fmt = _fmt, .size = _size,			\
	  .is_signed = _signed, .print = print_##_name }
#define STRING(_name, _kind)								\
	{ .name = _name, .field = "__data_loc char[]", .fmt = "\\\"%s\\\"", .size = 4,	\
	  .is_signed = true, .string = _kind, .print = print_string }

static const struct probe_arg_type types[] = {
	TYPE(u8, "u8", "%u", 1, false),
	TYPE(u16, "u16", "%u", 2, false),
	TYPE(u32, "u32", "%u", 4, false),
	TYPE(u64, "u64", "%Lu", 8, false),
	TYPE(s8, "s8", "%d", 1, true),
	TYPE(s16, "s16", "%d", 2, true),
	TYPE(s32, "s32", "%d", 4, true),
	TYPE(s64, "s64", "%Ld", 8, true),
	TYPE(x8, "u8", "0x%x", 1, false),
	TYPE(x16, "u16", "0x%x", 2, false),
	TYPE(x32, "u32", "0x%x", 4, false),
	TYPE(x64, "u64", "0x%Lx", 8, false),
	TYPE(char, "u8", "'%c'", 1, false),
	TYPE(symbol, "u64", "%pS", 8, false),
	STRING("string", PROBE_STRING),
	STRING("ustring", PROBE_USTRING),
	STRING("symstr", PROBE_SYMSTR),
};

/* The type that holds so many bits, for a bit field; NULL for a strange number. */
static const struct probe_arg_type *probe_type_of_bits(unsigned int bits)
{
	switch (bits) {
	case 8:
		return probe_type_find("u8");
	case 16:
		return probe_type_find("u16");
	case 32:
		return probe_type_find("u32");
	case 64:
		return probe_type_find("u64");
	default:
		return NULL;
	}
}

/**
 * probe_type_find - find a type by its name
 * @name: the name; b<width>@<offset>/<bits> is the type that has the bits; NULL: what an
 *	  argument is that is given none
 *
 * Context: any.
 * Return: the type or NULL.
 */
const struct probe_arg_type *probe_type_find(const char *name)
{
	unsigned long bits;

	if (!name)
		name = "x64";

	if (*name == 'b') {
		name = strchr(name, '/');
		if (!name || kstrtoul(name + 1, 0, &bits))
			return NULL;
		return probe_type_of_bits(min(bits, 128UL));
	}

	for (int i = 0; i < ARRAY_SIZE(types); i++)
		if (!strcmp(name, types[i].name))
			return &types[i];
	return NULL;
}
