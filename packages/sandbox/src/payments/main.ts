import { runProgram } from '../run-program.ts'
import { readPaymentsConfig } from './config.ts'
import { startPayments } from './start-payments.ts'

await runProgram('SANDBOX_PAYMENTS_PORT', async () => {
  const { url, close } = await startPayments({ ...readPaymentsConfig(), isLogging: true })
  return { readyLine: `sandbox payments are ready at ${url}`, stop: close }
})
