// SPDX-License-Identifier: GPL-2.0-only
/*
 * set_graph_function, set_graph_notrace, max_graph_depth: from which functions on
 * the graph tracer records what they call, where it does not, and how deep.
 *
 * Each instance has its own. Unlike set_ftrace_filter these are asked while functions
 * are traced, so the hashes are read under RCU (with preemption off) and replaced as a whole: when
 * a file is closed, by what its words have changed on top of what others have written meanwhile.
 */
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "../sites/sites.h"
#include "filters.h"
#include "../graph/graph.h"
#include "internal.h"
#include "word_file.h"

static struct ftrace_hash *hash_locked(const struct graph_limits *limits, bool exclude)
{
	return rcu_dereference_protected(limits->hashes[exclude], lockdep_is_held(&ftrace_lock));
}

bool graph_limit_has(const struct graph_limits *limits, bool exclude, unsigned long ip)
{
	struct ftrace_hash *hash = rcu_dereference_raw_check(limits->hashes[exclude]);

	return hash && ftrace_hash_has(hash, ip);
}

void graph_limit_set_all(unsigned int limit, bool on)
{
	struct trace_function *fn;

	mutex_lock(&ftrace_lock);
	list_for_each_entry(fn, &ftrace_instances, list)
		graph_limit_set(&fn->shared.limits, limit, on);
	mutex_unlock(&ftrace_lock);
}

static void max_depth_set(struct graph_limits *limits, unsigned int depth)
{
	WRITE_ONCE(limits->max_depth, depth);
	graph_limit_set(limits, FGRAPH_LIMIT_DEPTH, depth);
}

/* Put @hash in place; NULL for no filter. ftrace_lock */
static void hash_replace(struct graph_limits *limits, bool exclude, struct ftrace_hash *hash)
{
	unsigned int bit = exclude ? FGRAPH_LIMIT_NOTRACE : FGRAPH_LIMIT_FUNCTION;
	struct ftrace_hash *old = hash_locked(limits, exclude);

	/* The bit is only there while the hash is: no call finds that nothing was asked for. */
	if (!hash)
		graph_limit_set(limits, bit, false);
	rcu_assign_pointer(limits->hashes[exclude], hash);
	if (hash)
		graph_limit_set(limits, bit, true);
	if (old) {
		/* also where RCU does not watch */
		synchronize_rcu_tasks_rude();
		ftrace_hash_free(old);
	}
}

/* The instance goes, its tracer has stopped. ftrace_lock */
void graph_filters_free(struct trace_function *fn)
{
	hash_replace(&fn->shared.limits, false, NULL);
	hash_replace(&fn->shared.limits, true, NULL);
}

/* Open for writing: they, too, forget text that goes. ftrace_lock */
static LIST_HEAD(writers);

struct graph_file {
	struct function_file	file;		/* first, for function_file_write() */
	struct ftrace_hash	*hash;		/* what the filter is to be */
	struct ftrace_hash	*before;	/* what it was; NULL: no word at all empties it */
	bool			changed;	/* a word was taken */
	bool			forgot;		/* what a word chose has gone meanwhile */
};

static_assert(!offsetof(struct graph_file, file));

/* Text in [@start, @end) is gone. Readers see a slot before or after. ftrace_lock */
void graph_filters_forget(struct trace_function *fn, unsigned long start, unsigned long end)
{
	for (int i = 0; i < 2; i++) {
		struct ftrace_hash *hash = hash_locked(&fn->shared.limits, i);

		if (hash)
			ftrace_hash_del_range(hash, start, end);
	}
}

/* The same in what was written to files that are not closed yet. ftrace_lock */
void graph_filter_files_forget(unsigned long start, unsigned long end)
{
	struct graph_file *gf;

	list_for_each_entry(gf, &writers, file.list) {
		gf->forgot |= ftrace_hash_del_range(gf->hash, start, end);
		if (gf->before)
			ftrace_hash_del_range(gf->before, start, end);
	}
}

static int word_apply(struct ftrace_hash *hash, char *word)
{
	struct ftrace_pattern pattern;
	int ret;

	ftrace_pattern_parse(word, &pattern);
	mutex_lock(&ftrace_lock);
	ret = ftrace_match_hash(&pattern, hash);
	mutex_unlock(&ftrace_lock);
	return ret > 0 ? 0 : ret ?: -EINVAL;
}

static int word_end(struct trace_word_stream *words, char *word, struct trace_word_error *why)
{
	struct graph_file *gf = container_of(words, struct graph_file, file.words);
	int ret = word_apply(gf->hash, word);

	why->error = FUNCTION_ERR_NO_MATCH;
	if (!ret)
		gf->changed = true;
	return ret;
}

static void graph_free(struct function_file *f)
{
	struct graph_file *gf = container_of(f, struct graph_file, file);

	ftrace_hash_free(gf->hash);
	ftrace_hash_free(gf->before);
	function_file_free(f);
}

/* Does @hash, NULL for none, have what @other has, and nothing else? */
static bool hash_same(const struct ftrace_hash *hash, const struct ftrace_hash *other)
{
	unsigned long ip;
	unsigned int i;

	if ((hash ? hash->count : 0) != other->count)
		return false;
	for_each_ftrace_hash_ip(ip, other, i)
		if (!ftrace_hash_has(hash, ip))
			return false;
	return true;
}

/*
 * What was written takes effect. It needs memory only where others have changed the filter since
 * the file was opened. ftrace_lock
 */
static int graph_commit(struct function_file *f)
{
	struct graph_file *gf = container_of(f, struct graph_file, file);
	struct graph_limits *limits = &gf->file.fn->shared.limits;
	struct ftrace_hash *now = hash_locked(limits, gf->file.exclude), *hash = gf->hash;
	unsigned long ip;
	unsigned int i;
	int ret = 0;

	/* Words that were taken stay; if none was, what is refused leaves the filter. */
	if (!gf->changed && (gf->before || gf->file.words.refused))
		return 0;
	if (gf->before && !hash_same(now, gf->before)) {
		hash = ftrace_hash_dup(now);
		if (!hash)
			return -ENOMEM;
		for_each_ftrace_hash_ip(ip, gf->before, i)
			if (!ftrace_hash_has(gf->hash, ip))
				ftrace_hash_del(hash, ip);
		for_each_ftrace_hash_ip(ip, gf->hash, i)
			if (!ftrace_hash_has(gf->before, ip))
				ret = ret ?: ftrace_hash_add(hash, ip);
		if (ret) {
			ftrace_hash_free(hash);
			return ret;
		}
	} else {
		gf->hash = NULL;
	}
	/* An empty one is no filter; but where all that was asked for has gone none is chosen. */
	if (!hash->count && (gf->file.exclude || !gf->forgot)) {
		ftrace_hash_free(hash);
		hash = NULL;
	}
	hash_replace(limits, gf->file.exclude, hash);
	return 0;
}

static int graph_open(struct inode *inode, struct file *file, bool exclude)
{
	static const char *const locs[] = {
		"ftrace: set_graph_function",
		"ftrace: set_graph_notrace",
	};
	struct graph_file *gf = function_file_open(inode->i_private, sizeof(*gf),
						   locs[exclude], exclude);
	struct ftrace_hash *hash;
	int ret = 0;

	if (IS_ERR(gf))
		return PTR_ERR(gf);
	gf->file.words.end = word_end;
	gf->file.words.size = KSYM_NAME_LEN;
	gf->file.commit = graph_commit;
	gf->file.free = graph_free;

	mutex_lock(&ftrace_lock);
	hash = hash_locked(&gf->file.fn->shared.limits, exclude);
	if (file->f_mode & FMODE_READ) {
		if (!hash)
			function_file_no_list(&gf->file.text, exclude);
		else
			function_file_list(&gf->file.text, hash, false);
	}
	if (file->f_mode & FMODE_WRITE) {
		bool overwrite = file->f_flags & O_TRUNC;

		gf->hash = ftrace_hash_dup(overwrite ? NULL : hash);
		if (!overwrite)
			gf->before = ftrace_hash_dup(hash);
		if (!gf->hash || (!overwrite && !gf->before))
			ret = -ENOMEM;
	}
	ret = ret ?: gf->file.text.error;
	if (!ret && file->f_mode & FMODE_WRITE)
		list_add(&gf->file.list, &writers);
	mutex_unlock(&ftrace_lock);
	if (ret) {
		graph_free(&gf->file);
		return ret;
	}
	file->private_data = gf;
	return 0;
}

static int graph_function_open(struct inode *inode, struct file *file)
{
	return graph_open(inode, file, false);
}

static int graph_notrace_open(struct inode *inode, struct file *file)
{
	return graph_open(inode, file, true);
}

static const struct file_operations graph_function_fops = {
	FUNCTION_FILE_OPS(graph_function_open),
};

static const struct file_operations graph_notrace_fops = {
	FUNCTION_FILE_OPS(graph_notrace_open),
};

static ssize_t depth_read(struct file *file, char __user *ubuf, size_t count, loff_t *ppos)
{
	struct trace_array *tr = file->private_data;

	return tracing_read_printf(ubuf, count, ppos, "%u\n",
				   READ_ONCE(function_ops_of(tr)->limits.max_depth));
}

static int depth_set(struct file *file, unsigned long depth)
{
	if (depth > UINT_MAX)
		return -ERANGE;
	/* of two writers one is the last: the number and its bit are his */
	guard(mutex)(&ftrace_lock);
	max_depth_set(&function_ops_of(file->private_data)->limits, depth);
	return 0;
}

TRACE_NUMBER_FOPS_TR(depth);

void graph_filter_files(struct trace_array *tr, struct dentry *dir)
{
	trace_create_file("set_graph_function", TRACE_MODE_WRITE, dir, tr, &graph_function_fops);
	trace_create_file("set_graph_notrace", TRACE_MODE_WRITE, dir, tr, &graph_notrace_fops);
	trace_create_file("max_graph_depth", TRACE_MODE_WRITE, dir, tr, &depth_fops);
}

/* --- command line */

TRACE_BOOT_WORDS(boot_filter, "ftrace_graph_filter");
TRACE_BOOT_WORDS(boot_notrace, "ftrace_graph_notrace");

static int __init set_boot_max_depth(char *str)
{
	unsigned int depth;

	if (kstrtouint(str, 0, &depth))
		return 0;
	max_depth_set(&ftrace_global.shared.limits, depth);
	return 1;
}
__setup("ftrace_graph_max_depth=", set_boot_max_depth);

static void __init set_boot_words(char *at, bool exclude)
{
	struct ftrace_hash *hash = NULL;
	char *word;

	while ((word = trace_list_cut(&at, ","))) {
		hash = hash ?: ftrace_hash_alloc(0);
		if (!hash)
			break;
		if (word_apply(hash, word))
			pr_warn("ftrace: no function matches %s\n", word);
	}
	if (!hash || !hash->count) {
		ftrace_hash_free(hash);
		return;
	}
	mutex_lock(&ftrace_lock);
	hash_replace(&ftrace_global.shared.limits, exclude, hash);
	mutex_unlock(&ftrace_lock);
}

void __init ftrace_boot_graph_filters(void)
{
	set_boot_words(boot_filter, false);
	set_boot_words(boot_notrace, true);
}
