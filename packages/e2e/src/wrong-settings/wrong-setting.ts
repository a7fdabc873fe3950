import type { World } from './world.ts'

/** One wrong setting, and what follows. */
export interface WrongSetting {
  readonly service: 'control' | 'gateway'
  /** The setting, as the document shows it. */
  readonly setting: string
  /** The variables that differ from right settings. An empty one is not set. */
  readonly env: (world: World) => Record<string, string>
  /** The words on stderr or in the log. `…` stands for any text. */
  readonly says: string
  /** What `/readyz` answers; null if the process exits with status 1. */
  readonly readyz: {
    readonly status: 200 | 503
    /** A part of its details. */
    readonly shows?: Record<string, unknown> | string
  } | null
  /** A webhook that is signed with this secret makes the problem visible. */
  readonly webhookSecret?: string
}

/** @param readyz null if the process exits */
export const wrong = (
  service: WrongSetting['service'],
  setting: string,
  env: Record<string, string> | WrongSetting['env'],
  says: string,
  readyz: WrongSetting['readyz'] = null
): WrongSetting => ({ service, setting, env: typeof env === 'function' ? env : () => env, says, readyz })
