import { upstreamsFile } from '@tollgate/sandbox/models/upstreams-file.ts'
import type { SeedProduct } from '@tollgate/sandbox/payments/settings.ts'
import { builtInBrand } from '@tollgate/service/brand/brand.ts'
import { loadCatalogFile } from '@tollgate/service/catalog/catalog-file.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import type { Secrets } from './data-directory.ts'
import type { EmbeddedPart, Variables } from './embedded.ts'
import type { Addresses, Ports, ProcessPorts } from './ports.ts'

const shippedCatalog = workspaceFile('deploy/catalog.yaml')

/** The API key of the embedded model server, which listens on 127.0.0.1 only. */
export const modelsKey = 'sandbox'

/** The sign-in provider that the embedded identity server stands in for, unless `AUTH_PROVIDERS` names others. */
const demoProvider = 'github'

/** `npm start` reads the lines of the services, and shows them in its own form. */
const readableLog = 'json'

export interface EnvOptions {
  /** The variables that the person set. */
  readonly env: Variables
  readonly embedded: ReadonlySet<EmbeddedPart>
  readonly addresses: Addresses
  readonly ports: Ports
  readonly dataDir: string
  readonly secrets: Secrets
}

/** The variables of the embedded servers' programs. */
export function embeddedServerEnv({ env, addresses, ports, dataDir, secrets }: EnvOptions): Variables {
  return {
    ...env,
    TOLLGATE_DATA_DIR: dataDir,
    SANDBOX_IDENTITY_PORT: String(ports.SANDBOX_IDENTITY_PORT),
    SANDBOX_MAILBOX_PORT: String(ports.SANDBOX_MAILBOX_PORT),
    SANDBOX_SMTP_PORT: String(ports.SANDBOX_SMTP_PORT),
    SANDBOX_PAYMENTS_PORT: String(ports.SANDBOX_PAYMENTS_PORT),
    SANDBOX_MODELS_PORT: String(ports.SANDBOX_MODELS_PORT),
    SANDBOX_MODELS_API_KEY: modelsKey,
    PUBLIC_URL: addresses.control,
    AUTH_PROVIDERS: env.AUTH_PROVIDERS || demoProvider,
    SUPABASE_ANON_KEY: secrets.anonKey,
    SUPABASE_SERVICE_ROLE_KEY: secrets.serviceRoleKey,
    IDENTITY_WEBHOOK_SECRET: secrets.identityWebhookSecret,
    SANDBOX_IDENTITY_WEBHOOK_URL: `http://127.0.0.1:${ports.CONTROL_PORT}/api/auth/webhook`
  }
}

/** The variables of the payments server, which sends webhooks to control. */
export function paymentsEnv(options: EnvOptions): Variables {
  const { env, ports, secrets } = options
  return {
    ...embeddedServerEnv(options),
    STRIPE_SECRET_KEY: secrets.stripeKey,
    STRIPE_WEBHOOK_SECRET: secrets.webhookSecret,
    SANDBOX_PAYMENTS_WEBHOOK_URL: `http://127.0.0.1:${ports.CONTROL_PORT}/api/billing/webhook`,
    SANDBOX_PAYMENTS_PRODUCTS: JSON.stringify(productsOf(env))
  }
}

/** The variables of one control process. */
export function controlEnv(
  { env, embedded, addresses, ports, secrets }: EnvOptions,
  { port, adminPort }: ProcessPorts
): Variables {
  const identity = embedded.has('identity')
    ? {
        SUPABASE_URL: addresses.identity,
        AUTH_PROVIDERS: env.AUTH_PROVIDERS || demoProvider,
        SUPABASE_ANON_KEY: secrets.anonKey,
        SUPABASE_SERVICE_ROLE_KEY: secrets.serviceRoleKey,
        IDENTITY_WEBHOOK_SECRET: secrets.identityWebhookSecret,
        // The demo operator has none, and this identity server is for trials.
        OPERATORS_NEED_SECOND_FACTOR: env.OPERATORS_NEED_SECOND_FACTOR || 'false'
      }
    : {}
  // The mailbox shows control's mails, too.
  // It has the mails of the identity server, even if control's own go elsewhere.
  const mailbox = addresses.mailbox === null ? {} : { DEMO_MAILBOX_URL: addresses.mailbox }
  const mail =
    embedded.has('identity') && !env.SMTP_URL
      ? {
          SMTP_URL: `smtp://127.0.0.1:${ports.SANDBOX_SMTP_PORT}`,
          MAIL_FROM: env.MAIL_FROM || senderOf(env.BRAND_NAME || builtInBrand.name)
        }
      : {}
  const payments =
    addresses.payments === null
      ? {}
      : {
          STRIPE_SECRET_KEY: secrets.stripeKey,
          STRIPE_WEBHOOK_SECRET: secrets.webhookSecret,
          STRIPE_API_BASE: addresses.payments
        }
  return {
    ...env,
    // The same person starts the system and edits its file, and expects a start to apply it.
    CATALOG_ON_START: env.CATALOG_ON_START || 'apply',
    CONTROL_PORT: String(port),
    CONTROL_ADMIN_PORT: String(adminPort),
    LOG_FORMAT: readableLog,
    PUBLIC_URL: addresses.control,
    GATEWAY_PUBLIC_URL: addresses.gateway,
    DATABASE_URL: addresses.database,
    // Nobody else migrates the embedded database: only one process can open it.
    ...(embedded.has('postgres') && { AUTO_MIGRATE: 'true' }),
    REDIS_URL: addresses.redis,
    SECRETS_KEY: env.SECRETS_KEY || secrets.secretsKey,
    ...identity,
    ...mailbox,
    ...mail,
    ...payments
  }
}

/** The sender of mails that stay in the mailbox. MAIL_FROM takes no names with these characters. */
function senderOf(brandName: string): string {
  const name = brandName
    .replace(/[\p{Cc}<>@",;:]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return name === '' ? 'no-reply@mails.test' : `${name} <no-reply@mails.test>`
}

/** The variables of one gateway process. */
export function gatewayEnv({ env, addresses }: EnvOptions, { port, adminPort }: ProcessPorts): Variables {
  const upstream =
    addresses.models === null
      ? {}
      : {
          UPSTREAMS_FILE: env.UPSTREAMS_FILE || upstreamsFile,
          OPENAI_BASE_URL: `${addresses.models}/v1`,
          OPENAI_API_KEY: modelsKey
        }
  return {
    ...env,
    GATEWAY_PORT: String(port),
    GATEWAY_ADMIN_PORT: String(adminPort),
    DOCS_URL: env.DOCS_URL || `${addresses.control}/docs`,
    LOG_FORMAT: readableLog,
    REDIS_URL: addresses.redis,
    ...upstream
  }
}

/**
 * Lists the products of the payments server: every price of the catalog, including legacy prices.
 *
 * @throws FileError that names the catalog's errors
 */
export function productsOf(env: Variables): SeedProduct[] {
  const { plans } = loadCatalogFile(env.CATALOG_FILE || shippedCatalog)
  return Object.entries(plans).flatMap(([id, { name, prices = [] }]) =>
    prices.length === 0
      ? []
      : [
          {
            id: `prod_${id}`,
            name,
            prices: prices.map((price) => ({
              id: price.id,
              unit_amount: price.amount,
              currency: price.currency,
              interval: price.interval
            }))
          }
        ]
  )
}
