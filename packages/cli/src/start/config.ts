import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { loadConfig } from '@tollgate/service/config/load-config.ts'
import { readSecretFiles } from '@tollgate/service/config/secret-files.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { type Static, Type } from 'typebox'
import type { Variables } from '../system/embedded.ts'
import { defaultPorts, type Ports, type PortVariable } from '../system/ports.ts'

const Port = (variable: PortVariable) => Type.Integer({ minimum: 1, maximum: 65_535, default: defaultPorts[variable] })

const StartVariables = Type.Object({
  CONTROL_PORT: Port('CONTROL_PORT'),
  CONTROL_ADMIN_PORT: Port('CONTROL_ADMIN_PORT'),
  GATEWAY_PORT: Port('GATEWAY_PORT'),
  GATEWAY_ADMIN_PORT: Port('GATEWAY_ADMIN_PORT'),
  SANDBOX_IDENTITY_PORT: Port('SANDBOX_IDENTITY_PORT'),
  SANDBOX_MAILBOX_PORT: Port('SANDBOX_MAILBOX_PORT'),
  SANDBOX_SMTP_PORT: Port('SANDBOX_SMTP_PORT'),
  SANDBOX_PAYMENTS_PORT: Port('SANDBOX_PAYMENTS_PORT'),
  SANDBOX_MODELS_PORT: Port('SANDBOX_MODELS_PORT'),
  SANDBOX_REDIS_PORT: Port('SANDBOX_REDIS_PORT'),
  /** The directory of all stored data. */
  TOLLGATE_DATA_DIR: Type.String({ default: '.tollgate' }),
  /** The log lines shown on the terminal: `problems` (warnings and errors) or `all`. */
  TOLLGATE_LOG: Type.Enum(['problems', 'all'], { default: 'problems' }),
  /**
   * Whether a new demo account gets a subscription, keys and two months of usage, if every part is embedded: `on` or
   * `off`.
   */
  TOLLGATE_DEMO_DATA: Type.Enum(['on', 'off'], { default: 'on' }),
  CATALOG_FILE: Type.String({ default: workspaceFile('deploy/catalog.yaml') })
})

export interface StartConfig {
  readonly ports: Ports
  readonly dataDir: string
  readonly shownLog: Static<typeof StartVariables>['TOLLGATE_LOG']
  readonly hasDemoData: boolean
  readonly catalogFile: string
  /** All variables, for the programs of the system. */
  readonly env: Variables
}

/** @throws ConfigError that names every invalid variable */
export function loadStartConfig(env: Variables): StartConfig {
  const { TOLLGATE_DATA_DIR, TOLLGATE_LOG, TOLLGATE_DEMO_DATA, CATALOG_FILE, ...ports } = loadConfig(
    StartVariables,
    env
  )
  return {
    ports,
    dataDir: TOLLGATE_DATA_DIR,
    shownLog: TOLLGATE_LOG,
    catalogFile: CATALOG_FILE,
    env,
    hasDemoData: TOLLGATE_DEMO_DATA === 'on'
  }
}

/** Reads the configuration from the environment and the file `.env` of the current directory. */
export function readStartConfig(): StartConfig {
  return loadStartConfig(completeEnv(process.env, '.env'))
}

/**
 * Adds the `NAME=value` lines of a file to the environment. Variables of the environment win, even if empty:
 * `REDIS_URL= npm start` ignores the file's value once. Secrets in files of their own are read: {@link
 * readSecretFiles}.
 *
 * @param path the file; it may be absent
 */
export function completeEnv(env: Readonly<NodeJS.ProcessEnv>, path: string): NodeJS.ProcessEnv {
  let text = ''
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  // The services report files that cannot be read.
  return readSecretFiles({ ...parseEnv(text), ...env }).env
}
