import { arch, cpus, release, totalmem } from 'node:os'
import type { Cores } from '../measure/machine.ts'
import type { Spread } from '../measure/statistics.ts'

/** A table for a terminal. Every row has as many cells as the head. */
export interface Table {
  head: readonly string[]
  rows: ReadonlyArray<readonly string[]>
}

/** The lines of a table: head, rule, rows. The first column is aligned left, the others right. */
export function renderTable({ head, rows }: Table): string[] {
  const widths = head.map((cell, column) => Math.max(cell.length, ...rows.map((row) => row[column]!.length)))
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  ')
      .trimEnd()
  return [line(head), widths.map((width) => '─'.repeat(width)).join('──'), ...rows.map(line)]
}

/** Formats a number with thousands separators and fixed decimals: `12,345.6`. */
export function formatNumber(value: number, decimals: number): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
}

/** Formats a median with its quartiles: `0.75 (0.74–0.77)`. */
export function formatSpread({ median, lowerQuartile, upperQuartile }: Spread, decimals: number): string {
  const number = (value: number) => formatNumber(value, decimals)
  return `${number(median)} (${number(lowerQuartile)}–${number(upperQuartile)})`
}

/** Formats a share from 0 to 1 as a percentage: `97 %`. */
export function formatShare(share: number): string {
  return `${formatNumber(share * 100, 0)} %`
}

/** The machine and the time of the figures, to compare them with others. */
interface Machine {
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
