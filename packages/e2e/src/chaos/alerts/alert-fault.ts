import type { ChaosSystem } from '../system/chaos-system.ts'
import type { AlertSettings } from './alert-settings.ts'
import type { RunningPrometheus } from './prometheus.ts'

/** Ends a fault. */
export type Restore = () => Promise<unknown> | unknown

/** A fault that raises alerts. Names of alerts are without `Tollgate`. */
export interface AlertFault {
  /** What breaks. */
  summary: string
  /** The alerts that must fire. */
  raises: readonly string[]
  /** The alerts that must fire when the fault has ended. */
  raisesAtEnd?: readonly string[]
  /** Alerts that may fire, too: consequences of the fault or of its repair. */
  mayRaise?: readonly string[]
  /** Why it cannot run here; null if it can. */
  missing?: () => string | null
  /** Breaks something. @returns ends the fault */
  inject(system: ChaosSystem, settings: AlertSettings, prometheus: RunningPrometheus): Promise<Restore>
}
