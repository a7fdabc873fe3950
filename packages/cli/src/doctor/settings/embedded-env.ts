import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { loadStartConfig, type StartConfig } from '../../start/config.ts'
import { findAddresses } from '../../system/addresses.ts'
import { controlEnv, gatewayEnv } from '../../system/child-env.ts'
import { chooseEmbedded } from '../../system/embedded.ts'
import { keepSecrets } from '../../system/secrets.ts'
import type { Variables } from './repair-config.ts'

/**
 * Adds what `npm start` gives to its services, if it was started in this directory and a part has no real server. Nothing is
 * embedded in production.
 *
 * @returns null if `npm start` does not run these services
 */
export function embeddedEnv(env: Variables, cwd: string): { env: Variables; embedded: string[] } | null {
  if (env.NODE_ENV === 'production') return null
  const config = startConfig(env)
  const embedded = chooseEmbedded(env)
  if (config === null || embedded.size === 0) return null
  const dataDir = resolve(cwd, config.dataDir)
  if (!existsSync(join(dataDir, 'secrets.json'))) return null
  const { ports } = config
  const control = { port: ports.CONTROL_PORT, adminPort: ports.CONTROL_ADMIN_PORT }
  const gateway = { port: ports.GATEWAY_PORT, adminPort: ports.GATEWAY_ADMIN_PORT }
  const services = { controlPorts: [control], gatewayPorts: [gateway] }
  const addresses = findAddresses(env, embedded, ports, services, dataDir)
  const options = { env, embedded, addresses, ports, dataDir, secrets: keepSecrets(dataDir) }
  // One after the other: the second adds to the first, whose variables may be empty in `env`.
  const both = gatewayEnv({ ...options, env: controlEnv(options, control) }, gateway)
  return { env: both, embedded: [...embedded] }
}

/** Null for invalid ports: the services report them. */
function startConfig(env: Variables): StartConfig | null {
  try {
    return loadStartConfig(env)
  } catch {
    return null
  }
}
