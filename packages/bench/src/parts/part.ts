import type { Bench } from '../bench.ts'
import type { Table } from '../report/table.ts'

/** The result of a part, for people and for programs. */
export interface PartReport {
  sections: Array<{ title: string; table: Table; notes: string[] }>
  /** Written to the JSON file unchanged. */
  figures: Record<string, unknown>
  /** Descriptions of faults. A run with faults fails, after it has printed everything. */
  faults?: readonly string[]
}

/** A part of the bench that can be run alone: `npm run bench -- <name>`. */
export interface Part {
  name: string
  /** A line of the usage text. */
  summary: string
  /** True if a run without named parts leaves it out. */
  onlyIfNamed?: true
  run(bench: Bench): Promise<PartReport>
}
