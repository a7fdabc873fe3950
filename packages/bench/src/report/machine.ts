import { arch, cpus, release, totalmem } from 'node:os'
import type { Cores } from '../measure/cores.ts'

/** The machine and the time of the figures, to compare them with others. */
export interface Machine {
  cpu: string
  cores: number
  memoryGiB: number
  system: string
  node: string
  date: string
  /** How processes were pinned to cores, or why not. */
  pinning: string
}

export function describeMachine(pinning: Cores | { unpinned: string }, now: Date): Machine {
  const all = cpus()
  return {
    cpu: all[0]?.model.trim() ?? 'unknown',
    cores: all.length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `Linux ${release()} ${arch()}`,
    node: process.version,
    date: now.toISOString(),
    pinning:
      'unpinned' in pinning
        ? `none: ${pinning.unpinned}`
        : `measured process on core ${pinning.measured}; load generator, upstream and Redis on core ${pinning.load}`
  }
}

export function renderMachine(machine: Machine): string[] {
  return [
    `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB; ${machine.system}; Node ${machine.node}; ${machine.date}`,
    `pinned: ${machine.pinning}`
  ]
}
