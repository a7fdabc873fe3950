import { readdirSync, readFileSync } from 'node:fs'

/**
 * CPU time, user and system, that all threads of a process have used so far, in nanoseconds.
 *
 * It is the sum of the first field of `/proc/<pid>/task/<tid>/schedstat` (Linux Documentation/scheduler/sched-stats.rst).
 * `/proc/<pid>/stat` tells the same time in steps of 10 ms, and `process.cpuUsage()` would need our code inside the
 * measured process. Threads that have ended are missing: Node's threads (event loop, V8 and libuv workers) live as long
 * as the process. Reading costs one small file per thread, about a dozen.
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

/** First field of a schedstat file: nanoseconds spent on a CPU. */
export function parseSchedstat(text: string): number {
  return integer(text.split(' ', 1)[0], 'schedstat')
}

/**
 * Resident memory of a process in bytes, from `/proc/<pid>/smaps_rollup`. The figures in `stat` and `status` are kept
 * per CPU and lag behind, this one is counted page by page.
 */
export function readResidentBytes(pid: number): number {
  return parseResident(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'))
}

/** The `Rss` line of a smaps_rollup file, in bytes. */
export function parseResident(text: string): number {
  return integer(/^Rss:\s+(\d+) kB$/m.exec(text)?.[1], 'smaps_rollup') * 1024
}

/** Time of the whole machine since it started, in clock ticks (100 per second on Linux). */
export interface MachineTicks {
  /** Work of any process, also of the kernel. */
  busy: number
  /** Time that the hypervisor gave to somebody else. */
  stolen: number
}

/** Reads the first line of `/proc/stat`. */
export function readMachineTicks(): MachineTicks {
  return parseMachineTicks(readFileSync('/proc/stat', 'latin1'))
}

/** user + nice + system + irq + softirq, and steal, of the line `cpu`. */
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
