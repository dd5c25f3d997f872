/* SPDX-License-Identifier: GPL-2.0-only */
/* Opening the files of an event's directory; the data of these is struct trace_event_file. */
#ifndef _KERNEL_TRACE_EVENTS_DIRECTORIES_H
#define _KERNEL_TRACE_EVENTS_DIRECTORIES_H

struct file;
struct inode;
struct seq_file;

/* With references on the event file and its instance; -ENODEV when the event has gone. */
int event_file_open(struct inode *inode);
int event_file_close(struct inode *inode);	/* always 0 */

int event_generic_open(struct inode *inode, struct file *filp);
int event_generic_release(struct inode *inode, struct file *filp);
int event_single_open(struct inode *inode, struct file *filp,
		      int (*show)(struct seq_file *m, void *v), void *data);
int event_single_release(struct inode *inode, struct file *filp);

/* The same for the directory of a system; the data is struct trace_subsystem_dir. */
int event_system_open(struct inode *inode, struct file *filp);
int event_system_release(struct inode *inode, struct file *filp);

#endif
