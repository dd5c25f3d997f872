// SPDX-License-Identifier: GPL-2.0-only
/*
 * The language of kprobe events, the lines that show them, and kprobe_profile.
 *
 *	p[:[GROUP/][EVENT]] [MODULE:]SYMBOL[+OFFSET][%return]|ADDRESS [ARGUMENTS]
 *	r[MAXACTIVE][:[GROUP/][EVENT]] [MODULE:]SYMBOL[+0]|ADDRESS [ARGUMENTS]
 *
 * The same lines, with commas for blanks and semicolons between them, are taken from the command
 * line of the kernel: kprobe_event=.
 */
#include <linux/ctype.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>

#include "../events/events.h"
#include "../instance/instance.h"
#include "../instance/words.h"
#include "command.h"
#include "kprobe.h"

/* --- parsing */

/* What the first two words say. */
struct kprobe_line {
	bool		returns;
	bool		on_entry;
	int		maxactive;
	char		*group;
	char		*event;
	char		*symbol;
	long		offset;
	unsigned long	addr;		/* instead of a symbol, or where that is if it is known */
};

static int parse_symbol(struct dyn_command *cmd, struct kprobe_line *line, char *at)
{
	int ret = probe_parse_return(cmd, at, &line->returns);
	char *sign;

	if (ret)
		return ret;
	sign = strpbrk(at, "+-");
	if (sign) {
		if (kstrtol(sign, 0, &line->offset) || line->offset < 0 ||
		    line->offset > UINT_MAX)
			return dyn_command_error(cmd, at, PROBE_ERR_BAD_PROBE_ADDR, -EINVAL);
		*sign = '\0';
	}

	ret = kprobe_symbol_check(at, &line->addr);
	if (ret == -EADDRNOTAVAIL)
		return dyn_command_error(cmd, at, PROBE_ERR_NON_UNIQ_SYMBOL, -EINVAL);
	if (ret == -ENOENT)
		return dyn_command_error(cmd, at, PROBE_ERR_BAD_PROBE_ADDR, -EINVAL);
	if (ret)
		return ret;

	/* of a module that is not there nobody knows */
	ret = kprobe_on_func_entry((kprobe_opcode_t *)line->addr, line->addr ? NULL : at,
				   line->offset);
	line->on_entry = !ret;
	if (ret == -EINVAL && line->returns)
		return dyn_command_error(cmd, at, PROBE_ERR_BAD_RETPROBE, -EINVAL);
	line->symbol = at;
	return 0;
}

/* -ECANCELED: the line is another kind's */
static int parse_line(struct dyn_command *cmd, struct kprobe_line *line)
{
	char *word = (char *)cmd->argv[0], *place = (char *)cmd->argv[1], *colon;
	int ret;

	line->returns = *word++ == 'r';
	colon = strchr(word, ':');
	if (isdigit(*word) && !line->returns)
		return dyn_command_error(cmd, word, PROBE_ERR_BAD_MAXACT_TYPE, -EINVAL);
	ret = probe_parse_maxactive(cmd, word, colon, &line->maxactive);
	if (ret)
		return ret;

	if (kstrtoul(place, 0, &line->addr)) {
		/* a file's path and an offset: a uprobe */
		if (strchr(place, '/') && strchr(place, ':'))
			return -ECANCELED;
		ret = parse_symbol(cmd, line, place);
		if (ret)
			return ret;
	}
	return colon ? probe_parse_name(cmd, colon + 1, &line->group, &line->event) : 0;
}

static char *auto_name(const struct kprobe_line *line)
{
	char kind = line->returns ? 'r' : 'p';

	if (line->symbol)
		return probe_auto_name("%c_%s_%ld", kind, line->symbol, line->offset);
	return probe_auto_name("%c_0x%p", kind, (void *)line->addr);
}

static int place_fill(struct kprobe_place *kp, const struct kprobe_line *line)
{
	unsigned int at = PROBE_KERNEL;

	if (line->symbol) {
		kp->symbol = probe_text_dup(line->symbol);
		if (!kp->symbol)
			return -ENOMEM;
		kp->rp.kp.offset = line->offset;
	}
	if (line->symbol && !line->addr)
		kp->rp.kp.symbol_name = kp->symbol;
	else
		kp->rp.kp.addr = (kprobe_opcode_t *)line->addr;
	kp->maxactive = line->maxactive;
	kp->rp.maxactive = line->maxactive;

	if (line->returns)
		at |= PROBE_RETURN;
	if (line->on_entry)
		at |= PROBE_ENTRY;
	return probe_init_named(&kp->probe, &kprobe_kind, at, line->group, line->event,
				line->event ? NULL : auto_name(line));
}

int kprobe_create(struct dyn_command *cmd)
{
	struct kprobe_line line = { };
	struct probe_parse ctx = { .cmd = cmd };
	struct kprobe_place *kp;
	int ret = parse_line(cmd, &line);

	if (ret)
		return ret;
	kp = kprobe_place_alloc();
	if (!kp)
		return -ENOMEM;
	ret = place_fill(kp, &line);
	if (!ret) {
		ctx.at = kp->probe.at;
		ctx.function = kp->symbol;
		ret = probe_parse_args(&kp->probe, &ctx, 2) ?: probe_add(&kp->probe, cmd, 2);
	}
	if (ret && !kprobe_site_keep(kp)) {
		probe_destroy(&kp->probe);
		kprobe_place_free(kp);
	}
	return ret;
}

/**
 * kprobe_event_command - do what a line of kprobe_events says
 * @text: the line
 *
 * Context: task; takes event_mutex.
 * Return: 0 or why it was refused.
 */
int kprobe_event_command(const char *text)
{
	return dyn_event_command_of(&kprobe_kind.dyn, text);
}

/* --- showing and finding */

/* names that are longer kprobe_symbol_check() does not take */
#define PLACE_MAX	(KSYM_NAME_LEN + MODULE_NAME_LEN + 16)

static void place_text(const struct kprobe_place *kp, char text[PLACE_MAX])
{
	if (!kp->symbol)
		snprintf(text, PLACE_MAX, "0x%p", kp->rp.kp.addr);
	else if (kp->rp.kp.offset)
		snprintf(text, PLACE_MAX, "%s+%u", kp->symbol, kp->rp.kp.offset);
	else
		strscpy(text, kp->symbol, PLACE_MAX);
}

void kprobe_show_type(struct seq_file *m, const struct probe *p)
{
	seq_putc(m, probe_returns(p) ? 'r' : 'p');
	if (probe_returns(p) && kprobe_place_of(p)->rp.maxactive)
		seq_printf(m, "%d", kprobe_place_of(p)->rp.maxactive);
}

void kprobe_show_place(struct seq_file *m, const struct probe *p)
{
	char place[PLACE_MAX];

	place_text(kprobe_place_of(p), place);
	seq_puts(m, place);
}

bool kprobe_is_at(const struct probe *p, const char *word)
{
	char place[PLACE_MAX];

	place_text(kprobe_place_of(p), place);
	return !strcmp(place, word);
}

static void place_free(struct probe_reap *reap)
{
	struct kprobe_place *kp = container_of(reap, struct kprobe_place, reap);

	probe_text_put(&kp->probe, kp->symbol);
	kp->symbol = NULL;
	probe_free(&kp->probe);
	kprobe_place_free(kp);
}

void kprobe_free(struct dyn_event *ev)
{
	kprobe_place_reap(kprobe_place_of(probe_of(ev)), place_free);
}

int kprobe_show_profile(struct seq_file *m, struct dyn_event *ev)
{
	const struct kprobe_place *kp = kprobe_place_of(probe_of(ev));

	seq_printf(m, "  %-44s %15lu %15lu\n", probe_name(&kp->probe), probe_hits(kp->probe.hits),
		   kprobe_place_missed(kp));
	return 0;
}

/* --- boot */

TRACE_BOOT_WORDS(boot_events, "kprobe_event");

static void __init boot_event_enable(const struct probe *p)
{
	struct trace_event_file *file;

	lockdep_assert_held(&event_mutex);
	if (event_files_get_ready(&global_trace))
		return;
	file = find_event_file(&global_trace, probe_group(p), probe_name(p));
	if (file)
		trace_event_enable_disable(file, 1, 0);
}

/* Later than the sections of the kernel are known to be its own, and what is probed can run. */
static int __init boot_events_create(void)
{
	char *at = boot_events, *line;
	struct probe *p;
	int ret;

	if (!*at)
		return 0;
	while ((line = trace_list_cut(&at, ";"))) {
		strreplace(line, ',', ' ');
		ret = kprobe_event_command(line);
		if (ret)
			pr_warn("Failed to add event(%d): %s\n", ret, line);
	}
	guard(mutex)(&event_mutex);
	for_each_probe(p, &kprobe_kind)
		boot_event_enable(p);
	return 0;
}
fs_initcall(boot_events_create);
