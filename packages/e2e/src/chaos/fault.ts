import type { Allowed } from './measure/judge.ts'
import type { Findings } from './measure/measurement.ts'
import type { ChaosSystem, Conditions } from './system/chaos-system.ts'

/** Something that breaks, and what may come of it. */
export type Fault = {
  name: string
  /** What breaks, and for how long. */
  summary: string
  conditions?: Conditions
  allowed: Allowed
  /** What it needs and is not there, such as `pgbouncer is not installed`; null if all is. */
  missing?: () => string | null
  /**
   * Breaks something, and mends it. Resolves at the moment when it is mended.
   *
   * @param forgotten to be called at the moment when Redis loses what it had acknowledged
   * @param findings takes what only this fault looks at
   */
  inflict(system: ChaosSystem, forgotten: () => void, findings: Findings): Promise<void>
}
