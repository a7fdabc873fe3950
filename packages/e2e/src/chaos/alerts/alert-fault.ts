import type { ChaosSystem } from '../system/chaos-system.ts'
import type { RunningPrometheus } from './prometheus.ts'

/** Ends a fault. */
export type Restore = () => Promise<unknown> | unknown

/** A fault that raises alerts. Names of alerts are without `Tollgate`. */
export interface AlertFault {
  /** What breaks. */
  summary: string
  /** The alerts that must fire. */
  raises: readonly string[]
  /** Alerts that may fire, too: consequences of the fault or of its repair. */
  mayRaise?: readonly string[]
  /** Breaks something. @returns ends the fault */
  inject(system: ChaosSystem, prometheus: RunningPrometheus): Promise<Restore>
}
