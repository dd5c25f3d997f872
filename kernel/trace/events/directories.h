/* SPDX-License-Identifier: GPL-2.0-only */
/* Opening the files of an event's directory; the data of these is struct trace_event_file. */
#ifndef _KERNEL_TRACE_EVENTS_DIRECTORIES_H
#define _KERNEL_TRACE_EVENTS_DIRECTORIES_H

struct file;
struct inode;

/* With references on the event file and its instance; -ENODEV when the event has gone. */
int event_file_open(struct inode *inode);
int event_file_close(struct inode *inode);	/* always 0 */

/* The same for the directory of a system; the data is struct trace_subsystem_dir. */
int event_system_open(struct inode *inode, struct file *filp);
int event_system_release(struct inode *inode, struct file *filp);

#endif
