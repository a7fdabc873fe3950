import { readdirSync, readFileSync } from 'node:fs'

/**
 * The CPU time, user and system, that all running threads of a process have used, in nanoseconds.
 *
 * It is the sum of the first field of `/proc/<pid>/task/<tid>/schedstat` (Linux Documentation/scheduler/sched-stats.rst).
 * `/proc/<pid>/stat` has the same time in steps of 10 ms, and `process.cpuUsage()` needs our code inside the measured
 * process. Ended threads are missing, but Node's threads (event loop, V8 and libuv workers) live as long as the process.
 * This reads one small file per thread, about a dozen.
 *
 * @throws if the process does not exist, or the kernel has no schedstat
 */
export function readCpuNanos(pid: number): number {
  let nanos = 0
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    nanos += parseSchedstat(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1'))
  }
  return nanos
}

/** The first field of a schedstat file: nanoseconds spent on a CPU. */
export function parseSchedstat(text: string): number {
  return integer(text.split(' ', 1)[0], 'schedstat')
}

/**
 * The resident memory of a process in bytes, from `/proc/<pid>/smaps_rollup`, which the kernel counts page by page. The
 * figures in `stat` and `status` are kept per CPU and lag behind.
 */
export function readResidentBytes(pid: number): number {
  return parseResident(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'))
}

/** The `Rss` line of a smaps_rollup file, in bytes. */
export function parseResident(text: string): number {
  return integer(/^Rss:\s+(\d+) kB$/m.exec(text)?.[1], 'smaps_rollup') * 1024
}

/** The part of a process's resident memory that holds no pages of files, bytes. */
export function readAnonymousBytes(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1')
  return integer(/^Anonymous:\s+(\d+) kB$/m.exec(text)?.[1], 'smaps_rollup') * 1024
}

/** CPU time of the whole machine since its start, in clock ticks (100 per second on Linux). */
export interface MachineTicks {
  /** Work of all processes and of the kernel. */
  busy: number
  /** Time that the hypervisor gave to other machines. */
  stolen: number
}

/** Reads the first line of `/proc/stat`. */
export function readMachineTicks(): MachineTicks {
  return parseMachineTicks(readFileSync('/proc/stat', 'latin1'))
}

/** From the line `cpu`: user + nice + system + irq + softirq, and steal. */
export function parseMachineTicks(text: string): MachineTicks {
  const fields = /^cpu +(.+)$/m.exec(text)?.[1]?.split(' ') ?? []
  const [user, nice, system, , , irq, softirq, steal] = fields.map((field) => integer(field, '/proc/stat'))
  if (steal === undefined) throw new Error('/proc/stat: unexpected format')
  return { busy: user! + nice! + system! + irq! + softirq!, stolen: steal }
}

function integer(text: string | undefined, file: string): number {
  if (text === undefined || !/^\d+$/.test(text)) throw new Error(`${file}: unexpected format`)
  return Number(text)
}
