import { loadConfig } from '@tollgate/service/config/load-config.ts'
import Type, { type Static } from 'typebox'
import { refuseProduction } from '../refuse-production.ts'

const Config = Type.Object({
  /** The port of the server on 127.0.0.1. */
  SANDBOX_MODELS_PORT: Type.Integer({ minimum: 1, maximum: 65_535, default: 4010 }),
  /** The accepted API key. */
  SANDBOX_MODELS_API_KEY: Type.String({ minLength: 1, default: 'sandbox' })
})

/**
 * Reads the configuration from this process's environment, or from another.
 *
 * @throws ConfigError, or Error with `NODE_ENV=production`
 */
export function readModelsConfig(
  env: Record<string, string | undefined> = process.env
): Readonly<Static<typeof Config>> {
  refuseProduction(env)
  return loadConfig(Config, env)
}
