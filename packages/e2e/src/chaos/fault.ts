import type { Allowed } from './measure/broken-promises.ts'
import type { Findings } from './measure/measured.ts'
import type { ChaosSystem, Conditions } from './system/chaos-system.ts'

/** Notes how far control has copied from Redis, then makes Redis lose data. */
export type LoseData = (lose: () => Promise<unknown>) => Promise<void>

/** A fault to inject, and how far it may weaken the promises. */
export interface Fault {
  name: string
  /** What breaks, and for how long. */
  summary: string
  conditions?: Conditions
  allowed: Allowed
  /** Why it cannot run here, such as `pgbouncer is not installed`; null if it can. */
  missing?: () => string | null
  /**
   * Breaks something, then restores it. Resolves when it is restored.
   *
   * @param loseData called by the fault with what makes Redis lose acknowledged writes
   * @param findings receives what only this fault measures
   */
  inject(system: ChaosSystem, loseData: LoseData, findings: Findings): Promise<void>
}
