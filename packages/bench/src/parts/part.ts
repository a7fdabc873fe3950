import type { Bench } from '../bench.ts'
import type { Table } from '../report/table.ts'

/** What a part found, for people and for programs. */
export interface PartReport {
  sections: Array<{ title: string; table: Table; notes: string[] }>
  /** Written to the JSON file as it is. */
  figures: Record<string, unknown>
  /** What must not be, in words. A run with any of it fails, after it has told everything. */
  faults?: readonly string[]
}

/** A part of the bench that can be run alone: `npm run bench -- <name>`. */
export interface Part {
  name: string
  /** What it measures, for the usage text. */
  summary: string
  /** Not a part of a run of everything. */
  onlyIfNamed?: true
  run(bench: Bench): Promise<PartReport>
}
