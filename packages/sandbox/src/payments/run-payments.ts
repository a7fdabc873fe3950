import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError, loadConfig } from '@tollgate/service/config/load-config.ts'
import Type from 'typebox'
import { Value } from 'typebox/value'
import { refuseProduction, runProgram } from '../run-program.ts'
import type { SeedProduct } from './settings.ts'
import { type PaymentsOptions, startPayments } from './start-payments.ts'

const Config = Type.Object({
  SANDBOX_PAYMENTS_PORT: Type.Integer({ minimum: 1, maximum: 65_535, default: 4025 }),
  /** The server stores its data in the folder `payments` of this directory. */
  TOLLGATE_DATA_DIR: Type.String({ default: '.tollgate' }),
  /** The key that requests must carry. */
  STRIPE_SECRET_KEY: Type.String({ minLength: 1 }),
  /**
   * The secret that signs webhooks; several, separated by commas, during a rotation. Without one no webhooks are sent.
   */
  STRIPE_WEBHOOK_SECRET: Type.Optional(Type.String()),
  /** The URL that receives webhooks. Default: the application at `PUBLIC_URL`. */
  SANDBOX_PAYMENTS_WEBHOOK_URL: Type.Optional(Type.String({ pattern: '^https?://' })),
  PUBLIC_URL: Type.String({ pattern: '^https?://', default: 'http://localhost:3000' }),
  /** The products on sale: JSON, or the path of a JSON file. */
  SANDBOX_PAYMENTS_PRODUCTS: Type.Optional(Type.String())
})

const Products = Type.Array(
  Type.Object(
    {
      id: Type.String({ minLength: 1 }),
      name: Type.String({ minLength: 1 }),
      prices: Type.Array(
        Type.Object(
          {
            id: Type.String({ minLength: 1 }),
            unit_amount: Type.Integer({ minimum: 0 }),
            currency: Type.String({ pattern: '^[a-z]{3}$' }),
            interval: Type.Enum(['month', 'year'])
          },
          { additionalProperties: false }
        )
      )
    },
    { additionalProperties: false }
  )
)

await runProgram('SANDBOX_PAYMENTS_PORT', async () => {
  const { url, close } = await startPayments({ ...readPaymentsConfig(), isLogging: true })
  return { readyLine: `sandbox payments are ready at ${url}`, stop: close }
})

/** @throws ConfigError, or Error with `NODE_ENV=production` */
function loadPaymentsConfig(env: Record<string, string | undefined>): PaymentsOptions {
  refuseProduction(env)
  const config = loadConfig(Config, env)
  const secrets = (config.STRIPE_WEBHOOK_SECRET ?? '').split(',').flatMap((secret) => secret.trim() || [])
  const webhookUrl =
    config.SANDBOX_PAYMENTS_WEBHOOK_URL ?? `${config.PUBLIC_URL.replace(/\/+$/, '')}/api/billing/webhook`
  return {
    port: config.SANDBOX_PAYMENTS_PORT,
    dataDir: join(config.TOLLGATE_DATA_DIR, 'payments'),
    apiKey: config.STRIPE_SECRET_KEY,
    webhook: secrets.length === 0 ? null : { url: webhookUrl, secrets },
    products: readProducts(config.SANDBOX_PAYMENTS_PRODUCTS ?? '[]')
  }
}

/** The configuration of this process. */
function readPaymentsConfig(): PaymentsOptions {
  return loadPaymentsConfig(process.env)
}

function readProducts(source: string): SeedProduct[] {
  const products = parse(source)
  if (Value.Check(Products, products)) return products
  const [problem] = Value.Errors(Products, products)
  throw badProducts(`${problem?.instancePath || 'it'} ${problem?.message}`)
}

function parse(source: string): unknown {
  try {
    return JSON.parse(source.trimStart().startsWith('[') ? source : readFileSync(source, 'utf8'))
  } catch (error) {
    throw badProducts(error instanceof SyntaxError ? 'it is not JSON' : 'there is no such file')
  }
}

function badProducts(problem: string): ConfigError {
  return new ConfigError([`SANDBOX_PAYMENTS_PRODUCTS: ${problem}`])
}
