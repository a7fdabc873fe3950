import type { Allowed } from './measure/judge.ts'
import type { ChaosSystem, Conditions } from './system/chaos-system.ts'

/** Something that breaks, and what may come of it. */
export type Fault = {
  name: string
  /** What breaks, and for how long. */
  summary: string
  conditions?: Conditions
  allowed: Allowed
  /** A program that it needs and that may not be installed; null if it is. */
  missing?: () => string | null
  /**
   * Breaks something, and mends it. Resolves at the moment when it is mended.
   *
   * @param forgotten to be called at the moment when Redis loses what it had acknowledged
   */
  inflict(system: ChaosSystem, forgotten: () => void): Promise<void>
}
