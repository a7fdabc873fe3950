import { runProgram } from '../run-program.ts'
import { readModelsConfig } from './config.ts'
import { startModels } from './start-models.ts'

await runProgram('SANDBOX_MODELS_PORT', async () => {
  const { SANDBOX_MODELS_PORT: port, SANDBOX_MODELS_API_KEY: apiKey } = readModelsConfig()
  const models = await startModels({ port, apiKey })
  return { readyLine: `sandbox models are ready at ${models.baseUrl}`, stop: models.close }
})
