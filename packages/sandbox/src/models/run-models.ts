import { loadConfig } from '@tollgate/service/config/load-config.ts'
import type { Static } from 'typebox'
import Type from 'typebox'
import { refuseProduction, runProgram } from '../run-program.ts'
import { startModels } from './start-models.ts'

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
function readModelsConfig(env: Record<string, string | undefined> = process.env): Readonly<Static<typeof Config>> {
  refuseProduction(env)
  return loadConfig(Config, env)
}

await runProgram('SANDBOX_MODELS_PORT', async () => {
  const { SANDBOX_MODELS_PORT: port, SANDBOX_MODELS_API_KEY: apiKey } = readModelsConfig()
  const models = await startModels({ port, apiKey })
  return { readyLine: `sandbox models are ready at ${models.baseUrl}`, stop: models.close }
})
