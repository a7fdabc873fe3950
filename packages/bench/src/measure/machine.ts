import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

const checkMs = 500
const ticksPerSecond = 100

/** A quiet machine uses at most this share of one core, summed over all cores. */
const quietShare = 0.1

/**
 * The CPU time, user and system, that a process has used, ended threads included: nanoseconds, in steps of 10 ms. From
 * `/proc/<pid>/stat` (proc_pid_stat(5)).
 *
 * @throws if the process does not exist
 */
export function readCpuNanos(pid: number): number {
  return parseStat(readFileSync(`/proc/${pid}/stat`, 'latin1'))
}

/** The CPU time that a process has used, in nanoseconds: see {@link cpuBetween}. */
export interface CpuUse {
  /** As {@link readCpuNanos}. */
  readonly total: number
  /** Of each running thread, exactly: thread id → nanoseconds. */
  readonly threads: ReadonlyMap<string, number>
}

/**
 * Reads the CPU time of a process for a short measurement. That of its threads is exact: the first field of
 * `/proc/<pid>/task/<tid>/schedstat` (Linux Documentation/scheduler/sched-stats.rst).
 *
 * @throws if the process does not exist, or the kernel has no schedstat
 */
export function readCpu(pid: number): CpuUse {
  const threads = new Map<string, number>()
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    threads.set(thread, parseSchedstat(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1')))
  }
  return { total: readCpuNanos(pid), threads }
}

/**
 * The CPU time between two readings, in nanoseconds: the exact sum over the threads, unless one has ended. Its time
 * would be missing, so then the coarse time of the whole process counts.
 */
export function cpuBetween(before: CpuUse, after: CpuUse): number {
  let nanos = 0
  for (const thread of before.threads.keys()) if (!after.threads.has(thread)) return after.total - before.total
  for (const [thread, used] of after.threads) nanos += used - (before.threads.get(thread) ?? 0)
  return nanos
}

/** Fields 14 and 15 of `/proc/<pid>/stat`, in nanoseconds. Field 2 is a name, which may have spaces. */
export function parseStat(text: string): number {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const ticks = integer(fields[11], 'stat') + integer(fields[12], 'stat')
  return (ticks / ticksPerSecond) * 1e9
}

/** How often a process has asked the kernel to write, to files and sockets: `syscw` of `/proc/<pid>/io`. */
export function readWrites(pid: number): number {
  return integer(/^syscw: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'latin1'))?.[1], 'io')
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
interface MachineTicks {
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

/** The two cores of a run: one only for the measured process, the other for the rest of the bench. */
export interface Cores {
  load: number
  measured: number
}

/**
 * Pins this process, and all children that it starts from now on, to the load core.
 *
 * @returns the two cores, or why nothing is pinned: no `taskset` (util-linux), or fewer than two cores
 */
export function pinLoadSide(): Cores | { unpinned: string } {
  const allowed = parseCpuList(
    /^Cpus_allowed_list:\s*(.+)$/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1] ?? ''
  )
  const cores = chooseCores(allowed, siblingsOf)
  if (cores === null) return { unpinned: 'fewer than two cores are available' }
  try {
    execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', String(cores.load), String(process.pid)], {
      stdio: ['ignore', 'ignore', 'pipe']
    })
  } catch (error) {
    return { unpinned: `taskset (util-linux) failed: ${error instanceof Error ? error.message : String(error)}` }
  }
  return cores
}

/**
 * Chooses the first allowed core for the load, and another physical core for the measured process. If all allowed cores
 * are hardware threads of one physical core, it chooses the second.
 *
 * @returns null with fewer than two cores
 */
export function chooseCores(allowed: readonly number[], siblings: (core: number) => readonly number[]): Cores | null {
  const [load, second] = allowed
  if (load === undefined || second === undefined) return null
  const shared = siblings(load)
  return { load, measured: allowed.find((core) => core !== load && !shared.includes(core)) ?? second }
}

/** Parses the kernel's list format, such as `0-2,5`. */
export function parseCpuList(text: string): number[] {
  const cores: number[] = []
  for (const range of text.trim().split(',')) {
    const [first, last = first] = range.split('-').map(Number)
    if (first === undefined || last === undefined || range === '' || Number.isNaN(first + last)) {
      throw new Error(`not a list of cores: ${text}`)
    }
    for (let core = first; core <= last; core++) cores.push(core)
  }
  return cores
}

function siblingsOf(core: number): number[] {
  try {
    return parseCpuList(readFileSync(`/sys/devices/system/cpu/cpu${core}/topology/thread_siblings_list`, 'latin1'))
  } catch {
    return [core] // Some virtual machines and containers do not show the topology.
  }
}

/** Waits until nothing else runs on the machine. The total waiting time is limited. */
export class Patience {
  #leftMs: number
  readonly #readTicks: () => MachineTicks

  /** @param totalMs the total waiting time; 0: never wait */
  constructor(totalMs: number, readTicks: () => MachineTicks = readMachineTicks) {
    this.#leftMs = totalMs
    this.#readTicks = readTicks
  }

  get isExhausted(): boolean {
    return this.#leftMs <= 0
  }

  /** Resolves when the machine has been quiet for half a second, or when the time is used up. */
  async untilQuiet(): Promise<void> {
    while (!this.isExhausted) {
      const before = this.#readTicks()
      await delay(checkMs)
      this.#leftMs -= checkMs
      const after = this.#readTicks()
      const ticks = after.busy + after.stolen - before.busy - before.stolen
      if (ticks / ticksPerSecond <= quietShare * (checkMs / 1000)) return
    }
  }

  /** Subtracts the time of a round that other programs disturbed. */
  spend(millis: number): void {
    this.#leftMs -= millis
  }
}
