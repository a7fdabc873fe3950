import type { World } from './world.ts'

/** One wrong setting, and what follows. */
export interface WrongSetting {
  readonly service: 'control' | 'gateway'
  /** The setting, as the document shows it. */
  readonly setting: string
  /** The variables that differ from right settings. An empty one is not set. */
  readonly env: (world: World) => Record<string, string>
  /** Whether the service refuses it before it looks at any other server. */
  readonly isRefusedAtLoad: boolean
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

/**
 * @param env of a function: they depend on other servers. Others with which the process exits are refused at load
 * @param readyz null if the process exits
 */
export const wrong = (
  service: WrongSetting['service'],
  setting: string,
  env: Record<string, string> | WrongSetting['env'],
  says: string,
  readyz: WrongSetting['readyz'] = null
): WrongSetting => ({
  service,
  setting,
  says,
  readyz,
  env: typeof env === 'function' ? env : () => env,
  isRefusedAtLoad: typeof env !== 'function' && readyz === null
})

/** The words of the table as a pattern. The log is JSON. */
export function patternOf(says: string): RegExp {
  const plain = says.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(plain.join('.*').replaceAll('"', '\\\\?"'))
}
