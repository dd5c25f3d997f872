// SPDX-License-Identifier: GPL-2.0-only
/*
 * Text that x86 patches by way of an int3, as fast as it goes, while the other CPUs come by.
 *
 * "insmod int3_load.ko seconds=30" returns after that time, in which probes of a tracepoint came
 * and went, 0-1-2-1-0: its static key is changed twice in a round, its static call four times, at
 * each of the places in fire() and in its trampoline.
 *
 * An int3 that the kernel knows nothing of is looked at before it dies of it: what memory has
 * there, and whether the CPU meets it again after an iret, which serialises. Who changes text
 * waits for all CPUs before he forgets his int3, and here this CPU does not even come back to
 * where it was: an int3 that it meets that often, and that is not in memory, is the CPU's own.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/kdebug.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>
#include <asm/text-patching.h>

#define TRIES	64

DECLARE_TRACE(int3_load, TP_PROTO(unsigned long *fired), TP_ARGS(fired));
DEFINE_TRACE(int3_load, TP_PROTO(unsigned long *fired), TP_ARGS(fired));

static unsigned int seconds = 30;
module_param(seconds, uint, 0444);

static struct task_struct *firers[NR_CPUS];
static unsigned long fired[NR_CPUS];
static unsigned long rounds;
static atomic_t strays;

static void probe_a(void *data, unsigned long *fired)
{
	++*fired;
}

static void probe_b(void *data, unsigned long *fired)
{
	++*fired;
}

static int fire(void *mine)
{
	while (!kthread_should_stop()) {
		trace_int3_load(mine);
		trace_int3_load(mine);
		trace_int3_load(mine);
		trace_int3_load(mine);
		cond_resched();
	}
	return 0;
}

static int stray_int3(struct notifier_block *nb, unsigned long what, void *data)
{
	struct pt_regs *regs = ((struct die_args *)data)->regs;
	u8 *at = (u8 *)regs->ip - INT3_INSN_SIZE, have[CALL_INSN_SIZE];
	static unsigned long round;
	static int tries;

	if (what != DIE_INT3 || user_mode(regs))
		return NOTIFY_DONE;
	memcpy(have, at, sizeof(have));
	/* in another round it was changed, and there is another one */
	if (!tries || round != READ_ONCE(rounds)) {
		round = READ_ONCE(rounds);
		tries = 0;
		atomic_inc(&strays);
	}
	if (++tries == 1 || tries == TRIES)
		pr_info("CPU %d, round %lu: int3 at %pS, met %d times, memory has %5ph\n",
			raw_smp_processor_id(), round, at, tries, have);
	if (have[0] == INT3_INSN_OPCODE || tries >= TRIES)
		return NOTIFY_DONE;
	regs->ip -= INT3_INSN_SIZE;
	return NOTIFY_STOP;
}

static struct notifier_block stray_nb = { .notifier_call = stray_int3, .priority = INT_MAX };

static void change_probes(void)
{
	unsigned long end = jiffies + seconds * HZ;

	while (time_before(jiffies, end) && !signal_pending(current)) {
		if (register_trace_int3_load(probe_a, NULL) ||
		    register_trace_int3_load(probe_b, NULL) ||
		    unregister_trace_int3_load(probe_b, NULL) ||
		    unregister_trace_int3_load(probe_a, NULL)) {
			pr_err("a probe cannot come or go\n");
			break;
		}
		WRITE_ONCE(rounds, rounds + 1);
	}
}

static int __init int3_load_init(void)
{
	unsigned long sum = 0;
	unsigned int cpu;
	int ret = register_die_notifier(&stray_nb);

	for_each_online_cpu(cpu) {
		struct task_struct *task;

		if (ret || cpu == cpumask_first(cpu_online_mask))
			continue;
		task = kthread_create(fire, &fired[cpu], "int3_load/%u", cpu);
		if (IS_ERR(task)) {
			ret = PTR_ERR(task);
			continue;
		}
		kthread_bind(task, cpu);
		firers[cpu] = task;
		wake_up_process(task);
	}

	if (!ret)
		change_probes();

	for_each_possible_cpu(cpu) {
		if (firers[cpu])
			kthread_stop(firers[cpu]);
		sum += fired[cpu];
	}
	tracepoint_synchronize_unregister();
	unregister_die_notifier(&stray_nb);
	pr_info("%lu rounds, %lu probes ran, %d strays\n", rounds, sum, atomic_read(&strays));
	return ret;
}

static void __exit int3_load_exit(void)
{
}

module_init(int3_load_init);
module_exit(int3_load_exit);
MODULE_DESCRIPTION("Changes text that other CPUs run all the time");
MODULE_LICENSE("GPL");
