import { median } from '../measure/statistics.ts'
import { formatNumber, type Table } from '../report/table.ts'
import type { Kind } from './kinds.ts'
import type { Tally } from './run-load.ts'
import type { Sample } from './watch.ts'

const outcomes = ['right answer', 'expected error', 'hung up', 'unexpected'] as const
const maxRows = 12

/** The requests by kind and outcome, with totals. */
export function renderTallies(tallies: ReadonlyArray<readonly [Kind, Tally]>): Table {
  const cells = (label: string, all: readonly Tally[]) => [
    label,
    formatNumber(
      all.reduce((sum, { requests }) => sum + requests, 0),
      0
    ),
    ...outcomes.map((outcome) =>
      formatNumber(
        all.reduce((sum, tally) => sum + tally.outcomes[outcome], 0),
        0
      )
    )
  ]
  return {
    head: ['', 'requests', ...outcomes],
    rows: [
      ...tallies.map(([{ name, failure }, tally]) => cells(labelOf({ name, failure }), [tally])),
      cells(
        'all',
        tallies.map(([, tally]) => tally)
      )
    ]
  }
}

/** The kind's name in the report. */
export function labelOf({ name, failure }: Pick<Kind, 'name' | 'failure'>): string {
  return failure === null ? name : `${name}; upstream: ${failure}`
}

/** The samples in a dozen rows of equal time. */
export function renderSamples(samples: readonly Sample[]): Table {
  const size = Math.max(1, Math.ceil(samples.length / maxRows))
  const rows: string[][] = []
  for (let from = 0; from < samples.length - 1; from += size) {
    // Including the first sample of the next row, so that the time between the two counts, too.
    const row = samples.slice(from, from + size + 1)
    const [first, last] = [row[0]!, row.at(-1)!]
    const requests = last.requests - first.requests
    const middle = (figure: (sample: Sample) => number | null, unit: number, decimals: number) => {
      const values = row.map(figure).filter((value) => value !== null)
      return values.length === 0 ? '' : formatNumber(median(values) / unit, decimals)
    }
    rows.push([
      formatNumber(first.atMs / 1000, 0),
      requests === 0 ? '' : formatNumber((requests / (last.atMs - first.atMs)) * 1000, 0),
      requests === 0 ? '' : formatNumber((last.cpuNanos - first.cpuNanos) / requests / 1000, 0),
      middle(({ residentBytes }) => residentBytes, 1e6, 1),
      middle(({ heapBytes }) => heapBytes, 1e6, 1),
      middle(({ handles }) => handles, 1, 0),
      middle(({ sockets }) => sockets, 1, 0)
    ])
  }
  return {
    head: [
      'from s',
      'requests/s',
      'CPU per request, µs',
      'resident, MB',
      'heap after collection, MB',
      'handles',
      'sockets'
    ],
    rows
  }
}
