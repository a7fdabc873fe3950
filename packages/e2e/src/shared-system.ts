import { brandName } from './dashboard/brand.ts'
import { share } from './share.ts'
import { startTestSystem } from './start-test-system.ts'

/**
 * The system that the test files of one process share: two gateways and the shipped catalog. Prompts with a marker such as
 * `[sandbox+pace-ms=15]` make the model server misbehave. A test that stops or changes a part of the system starts it again, or changes it
 * back. Its customers are its own.
 */
export const sharedSystem = share((endings) =>
  startTestSystem(endings, {
    gateways: 2,
    env: {
      // Each `Person` has its own IP address, so that rate limits per address count them separately.
      TRUST_PROXY: 'loopback',
      // Webhooks may reach the servers of the tests.
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
      BRAND_NAME: brandName
    }
  })
)
