import type { Allowed } from './measure/broken-promises.ts'
import type { Findings } from './measure/measured.ts'
import type { ChaosSystem } from './system/chaos-system.ts'
import type { Conditions } from './system/servers.ts'

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

/** A measurement of promises that needs its own system. */
export interface Check {
  name: string
  summary: string
  /** Too long for a full run. */
  onlyIfNamed?: true
  /** Names of its parts. A run that names some of them beside the check has only these. */
  parts?: readonly string[]
  /**
   * @param names those of the command line
   * @returns what it measured, and one line per broken promise
   */
  run(names: readonly string[]): Promise<{ seen: string[]; broken: string[] }>
}
