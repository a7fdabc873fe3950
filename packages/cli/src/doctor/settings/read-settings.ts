import { join } from 'node:path'
import { type ControlConfig, loadControlConfig } from '@tollgate/control/config.ts'
import { type GatewayConfig, loadGatewayConfig } from '@tollgate/gateway/config.ts'
import { completeEnv } from '../../start/env-file.ts'
import { embeddedEnv } from './embedded-env.ts'
import { repairConfig, type Variables } from './repair-config.ts'

/** What both services read. */
export interface Settings {
  readonly env: Variables
  /** The parts that `npm start` runs itself. */
  readonly embedded: readonly string[]
  readonly control: ControlConfig | null
  readonly gateway: Readonly<GatewayConfig> | null
  /** Every problem of both services' variables. */
  readonly problems: readonly string[]
  /** Whether all of these variables are valid. Otherwise the configurations have examples for them. */
  areValid(...names: string[]): boolean
}

/** Reads the environment and the file `.env` of a directory, as `npm start` does, and both services' configurations. */
export function readSettings(own: Variables, cwd: string): Settings {
  const completed: Variables = completeEnv({ ...own }, join(cwd, '.env'))
  const started = embeddedEnv(completed, cwd)
  const env = started?.env ?? completed
  const control = repairConfig(loadControlConfig, env)
  const gateway = repairConfig(loadGatewayConfig, env)
  const invalid = new Set([...control.invalid, ...gateway.invalid])
  return {
    env,
    embedded: started?.embedded ?? [],
    control: control.config,
    gateway: gateway.config,
    problems: [...new Set([...control.problems, ...gateway.problems])],
    areValid: (...names) => names.every((name) => !invalid.has(name))
  }
}
