import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

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
