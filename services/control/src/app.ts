import cookie from '@fastify/cookie'
import swagger from '@fastify/swagger'
import { type DocsFacts, providerIdOf } from '@tollgate/contracts/docs/docs-facts.ts'
import type { FailureCounts } from '@tollgate/service/http/admin-server.ts'
import { BoundedMessage, skipEndedConnections } from '@tollgate/service/http/bounded-message.ts'
import { lazyCompilers } from '@tollgate/service/http/lazy-compilers.ts'
import { arrivalTimeouts, type ConnectionLimits } from '@tollgate/service/http/listen.ts'
import type { Tracing } from '@tollgate/service/tracing/tracing.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { type Heartbeat, readSpokenApis } from '@tollgate/state/processes/heartbeat.ts'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { accountRoutes } from './accounts/account-routes.ts'
import { budgetRoutes } from './accounts/budget-routes.ts'
import type { WakeablePlanWriter } from './accounts/plan-intention.ts'
import { setupRoutes } from './accounts/setup-routes.ts'
import { adminRoutes } from './admin/admin-routes.ts'
import { auditRoutes } from './audit/audit-routes.ts'
import type { MinResponseTimes } from './auth/auth-context.ts'
import { authRoutes } from './auth/auth-routes.ts'
import { nameSignInProviders } from './auth/sign-in-settings.ts'
import { billingRoutes } from './billing/billing-routes.ts'
import type { Payments } from './billing/payments.ts'
import type { CustomerRefresher } from './billing/refresh-customer.ts'
import { webhook } from './billing/webhook.ts'
import { browserCallers, originTest } from './callers/browser-callers.ts'
import { requireOperator } from './callers/operator.ts'
import { requireAccount } from './callers/principal.ts'
import { requireConfirmation, session, type UserRefresher } from './callers/session.ts'
import type { CatalogPublisher } from './catalog/catalog-publisher.ts'
import type { LiveCatalog } from './catalog/live-catalog.ts'
import type { Clock } from './clocks/clock.ts'
import type { ControlConfig } from './config.ts'
import { answerUnknown, redirectToPublicUrl, serveDashboard } from './dashboard/serve-dashboard.ts'
import type { Database } from './database/connect.ts'
import { decodeBodies, readJsonBodies, refuseUnstorableText } from './http/bodies.ts'
import { callerLimits } from './http/caller-limits.ts'
import { answerClientError, newRequestId, refuseAmbiguousHeads, sendFailure, sendNotFound } from './http/failures.ts'
import type { Limits } from './http/limits.ts'
import { logAnswer, logRequests, type RequestLogOptions } from './http/log.ts'
import { rateLimits } from './http/rate-limit.ts'
import { answerLivez, endConnectionsOnClose, refuseOtherHosts, sendSecurityHeaders } from './http/server-hooks.ts'
import { traceRequests } from './http/trace-requests.ts'
import type { WebhookCounts } from './http/webhook-counts.ts'
import type { Identity } from './identity/identity.ts'
import { keyRoutes } from './keys/key-routes.ts'
import { unsubscribeEndpoint } from './mail/unsubscribe-endpoint.ts'
import { limitRoutes } from './models/limit-routes.ts'
import { modelRoutes } from './models/model-routes.ts'
import { eventRoutes } from './notices/event-routes.ts'
import { notificationRoutes } from './notices/notification-routes.ts'
import { docsRoutes } from './openapi/docs-routes.ts'
import { openApiRoute, swaggerOptions } from './openapi/document.ts'
import { exportOwnData } from './personal-data/export-own-data.ts'
import { playgroundRoutes } from './playground/playground-routes.ts'
import type { Projector } from './projection/projector.ts'
import { refusalRoutes } from './refusals/refusal-routes.ts'
import { requestRoutes } from './requests/request-routes.ts'
import type { Mailboxes } from './signup/mailbox.ts'
import { createSignupPolicy } from './signup/signup-policy.ts'
import { readSiteAssets, type SiteAssets } from './site/site-assets.ts'
import { llmsPages } from './site/site-map.ts'
import { siteRoutes } from './site/site-routes.ts'
import { createSiteSource } from './site/site-source.ts'
import { noSiteTexts } from './site/site-texts.ts'
import type { ServiceStatus } from './status/service-status.ts'
import { statusRoutes } from './status/status-routes.ts'
import { teamRoutes } from './team/team-routes.ts'
import { usageRoutes } from './usage/usage-routes.ts'
import { identityWebhook } from './users/identity-webhook.ts'
import type { DueUsers } from './users/refresh-user.ts'
import { webhookRoutes } from './webhooks/webhook-routes.ts'
import type { WebhookSettings } from './webhooks/webhook-settings.ts'

/** Far above any body that the API knows. */
const bodyLimitBytes = 64 * 1024
/** Longer than everything that a request waits for elsewhere: what is not answered by then waits for the database. */
const defaultRequestTimeoutMs = 15_000
/** Time for a body that no endpoint reads, too. */
const defaultArrival = { headersTimeoutMs: 10_000, requestTimeoutMs: 30_000 }

export type ControlDependencies = RequestLogOptions & {
  config: Pick<
    ControlConfig,
    | 'brand'
    | 'publicUrl'
    | 'gatewayPublicUrl'
    | 'serviceDomain'
    | 'allowedHosts'
    | 'extraOrigins'
    | 'trustProxy'
    | 'docsUrl'
    | 'dashboardDir'
    | 'minPasswordLength'
    | 'demoMailboxUrl'
    | 'operatorsNeedSecondFactor'
    | 'confirmAboveNanos'
    | 'signup'
    | 'captcha'
    | 'requestLogDays'
    | 'site'
    | 'freeSpendNanos'
    | 'maxConnections'
  > & {
    payments: Pick<ControlConfig['payments'], 'webhookSecrets'>
    identity: Pick<ControlConfig['identity'], 'webhookSecrets' | 'providers' | 'serviceRoleKey'>
    webhooks: WebhookSettings
  }
  database: Database
  identity: Identity
  redis: RedisLink
  catalog: LiveCatalog
  mailboxes: Mailboxes
  catalogPublisher: CatalogPublisher
  status: ServiceStatus
  projector: Pick<Projector, 'accountChanged' | 'keyChanged' | 'keyRevoked' | 'isKeyInForce'>
  planWriter: WakeablePlanWriter
  dueUsers: Pick<DueUsers, 'handleReport'>
  /** Looks for due webhooks now. */
  wakeWebhooks: () => void
  refresher: UserRefresher
  payments: Payments
  customerRefresher: CustomerRefresher
  isMailing: boolean
  log: FastifyBaseLogger
  clock: Clock
  minResponseTimes: MinResponseTimes
  limits: Limits
  failures: FailureCounts
  /** null: requests are not traced. */
  tracing: Tracing | null
  webhookCounts: WebhookCounts
  heartbeat: Pick<Heartbeat, 'beat'>
  /** Milliseconds after which a request that is not answered gets 503. */
  requestTimeoutMs?: number
  /** Milliseconds within which requests must arrive. */
  arrival?: Omit<ConnectionLimits, 'maxConnections'>
}

/** Builds the HTTP application. It neither listens nor connects. */
export function buildApp(dependencies: ControlDependencies): FastifyInstance {
  const { config, database, redis, clock, refresher, catalog } = dependencies
  const app = createServer(dependencies)
  const { name } = config.brand
  const assets = readSiteAssets(config.dashboardDir, config.brand)
  const hasSite = assets !== null && config.site !== null
  const { publicUrl, gatewayPublicUrl: gatewayUrl, requestLogDays } = config
  const modelsUrl = `${publicUrl}${hasSite ? '/models' : '/dashboard/models'}`
  const providersUrl = hasSite ? `${publicUrl}/providers` : null
  const facts = { name, id: providerIdOf(name), publicUrl, gatewayUrl, modelsUrl, providersUrl, requestLogDays }
  app.register(async (pages) => {
    redirectToPublicUrl(pages, config.publicUrl)
    const { brand, minPasswordLength, captcha, demoMailboxUrl } = config
    const providers = nameSignInProviders(config.identity.providers)
    const legal = hasSite ? (config.site?.legal ?? {}) : {}
    const legalPages = (['terms', 'privacy'] as const).filter((name) => legal[name] !== undefined)
    const signIn = { providers, minPasswordLength, signup: config.signup.mode, captcha, legalPages, demoMailboxUrl }
    const picture = brand.logoUrl ?? assets?.icon.href ?? ''
    serveDashboard(pages, config.dashboardDir, { docs: facts, brand, picture, signIn, requestLogDays }, hasSite)
    if (assets !== null) addSite(pages, dependencies, facts, assets)
  })
  // Before every part of the API, whose routes it collects.
  app.register(swagger, swaggerOptions(app, config.publicUrl, name))
  app.register(async (probes) => answerLivez(probes))
  app.register(async (api) => openApiRoute(api), { prefix: '/api' })
  const sitePages = hasSite ? llmsPages : []
  app.register(async (docs) => docsRoutes(docs, facts, config.brand.supportUrl, sitePages))
  app.register(cookie)
  app.register(rateLimits, { redis })
  app.register(session, { database, catalog, clock, refresher })
  app.register(requireAccount, { database, clock })
  app.register(callerLimits, { limits: dependencies.limits, connections: database.connections })
  app.register(requireConfirmation, { clock })
  app.register(requireOperator, { clock, needSecondFactor: config.operatorsNeedSecondFactor })
  addApi(app, dependencies)
  return app
}

/** Adds the public pages. */
function addSite(
  pages: FastifyInstance,
  { config, catalog, catalogPublisher, redis, status, clock, isMailing }: ControlDependencies,
  docs: DocsFacts,
  assets: SiteAssets
): void {
  const { brand, publicUrl, gatewayPublicUrl: gatewayUrl, requestLogDays, site } = config
  const providers = nameSignInProviders(config.identity.providers)
  const hasFreeLimit = config.freeSpendNanos !== null
  const terms = { name: brand.name, signup: config.signup.mode, providers, requestLogDays, hasFreeLimit, isMailing }
  const readFacts = createSiteSource({
    catalog,
    leftOutModels: () => catalogPublisher.leftOutModels(),
    spokenApis: () => readSpokenApis(redis),
    status: () => status.read(),
    clock
  })
  siteRoutes(pages, {
    context: { brand, publicUrl, gatewayUrl, terms, texts: site ?? noSiteTexts, assets, isPublic: site !== null },
    readFacts,
    docs,
    clock
  })
}

function createServer({
  config,
  log,
  failures,
  tracing,
  logsRequest,
  onAnswered,
  requestTimeoutMs = defaultRequestTimeoutMs,
  arrival = defaultArrival
}: ControlDependencies): FastifyInstance {
  const timeouts = arrivalTimeouts(arrival)
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: config.trustProxy,
    bodyLimit: bodyLimitBytes,
    handlerTimeout: requestTimeoutMs,
    ...timeouts,
    // What still arrives while the server closes is served: everything that it needs is closed later.
    return503OnClosing: false,
    genReqId: newRequestId,
    requestIdHeader: false,
    // Proxies may add a slash.
    routerOptions: { ignoreTrailingSlash: true },
    // Node would refuse a request without a host, without a body; it is refused below.
    http: { ...timeouts.http, requireHostHeader: false, IncomingMessage: BoundedMessage },
    clientErrorHandler: (error, socket) => answerClientError(error, socket, { docsUrl: config.docsUrl, failures }),
    frameworkErrors: (error, request, reply) => {
      sendFailure(error, request, reply)
      logAnswer(request, reply, { logsRequest, onAnswered })
    },
    schemaController: { compilersFactory: lazyCompilers },
    // A request is taken as it was sent or refused: nothing is coerced, filled in or left out.
    ajv: {
      // TypeBox makes the schemas, so their form is right. To check it, Ajv would compile 3 MB of its own at each
      // start.
      customOptions: { coerceTypes: false, useDefaults: false, removeAdditional: false, validateSchema: false }
    }
  })
  app.decorate('docsUrl', config.docsUrl)
  app.decorate('gatewayUrl', config.gatewayPublicUrl)
  app.decorate('failures', failures)
  skipEndedConnections(app.server)
  app.server.maxConnections = config.maxConnections
  app.setErrorHandler(sendFailure)
  answerUnknown(app, sendNotFound)
  if (tracing !== null) traceRequests(app, tracing)
  refuseAmbiguousHeads(app)
  refuseOtherHosts(app, config.allowedHosts)
  decodeBodies(app)
  readJsonBodies(app)
  refuseUnstorableText(app)
  endConnectionsOnClose(app)
  sendSecurityHeaders(app, config.publicUrl.startsWith('https://'))
  logRequests(app, { logsRequest, onAnswered })
  return app
}

function addApi(app: FastifyInstance, dependencies: ControlDependencies): void {
  const { config, database, identity, redis, catalog, projector, planWriter, payments, customerRefresher } =
    dependencies
  const { isMailing, clock, minResponseTimes, limits, heartbeat, catalogPublisher, mailboxes } = dependencies
  const { publicUrl, serviceDomain } = config
  const part = partsOf(app, config)
  const ofUsers = { database, redis, identity, catalog, mailboxes, projector, clock, limits, publicUrl }
  const { providers, serviceRoleKey: sharedSecret } = config.identity
  const { minPasswordLength, signup, captcha } = config
  const signupPolicy = createSignupPolicy(signup)
  const ofSignIns = {
    minPasswordLength,
    signup,
    captcha,
    signupPolicy,
    customerRefresher,
    minResponseTimes,
    serviceDomain,
    providers,
    sharedSecret
  }
  part('/api/auth', (auth) => authRoutes(auth, { ...ofUsers, ...ofSignIns }))
  part('/api/keys', (keys) => keyRoutes(keys, { database, catalog, projector, redis, clock, log: app.log }))
  part('/api/account', (account) => accountRoutes(account, { database, catalog, catalogPublisher, projector, clock }))
  part('/api/account/budgets', (own) => budgetRoutes(own, { database, redis, catalog, projector, clock, log: app.log }))
  part('/api/account/setup', (setup) => setupRoutes(setup, { database, catalog, clock }))
  part('/api/account/export', (own) => exportOwnData(own, { database, catalog, clock, limits }))
  part('/api/team', (team) => teamRoutes(team, { ...ofUsers, planWriter, signupPolicy }))
  part('/api/billing', (billing) => billingRoutes(billing, { database, payments, catalog, clock, limits, publicUrl }))
  receiveWebhooks(app, dependencies)
  const webhooks = { database, ...config.webhooks, clock, limits, wake: dependencies.wakeWebhooks }
  part('/api/webhooks', (own) => webhookRoutes(own, webhooks))
  part('/api/usage/refusals', (refusals) => refusalRoutes(refusals, { database, clock }))
  part('/api/usage', (usage) => usageRoutes(usage, { database, redis, catalog, clock }))
  part('/api/models', (models) => modelRoutes(models, { database, redis, catalog, catalogPublisher, clock }))
  part('/api/status', (own) => statusRoutes(own, { status: dependencies.status, limits }))
  part('/api/limits', (limits) => limitRoutes(limits, { database, redis, catalog, clock }))
  part('/api/playground', (own) => playgroundRoutes(own, { database, projector, redis, clock, limits }))
  part('/api/requests', (requests) => requestRoutes(requests, { database, redis, limits }))
  part('/api/admin', (admin) =>
    adminRoutes(admin, {
      database,
      redis,
      identity,
      payments,
      catalog,
      catalogPublisher,
      projector,
      customerRefresher,
      isMailing,
      clock,
      limits,
      heartbeat,
      webhooks,
      confirmAboveNanos: config.confirmAboveNanos
    })
  )
  part('/api/account/notifications', (own) => notificationRoutes(own, { database, clock }))
  part('/api/events', (events) => eventRoutes(events, { database }))
  // A link in mails: no session applies.
  app.register(unsubscribeEndpoint, { prefix: '/api/unsubscribe', database, brand: config.brand, clock })
  part('/api/audit', (audit) => auditRoutes(audit, { database, limits }))
}

/** Adds parts of the API, each below a prefix, for browsers at the allowed origins. */
function partsOf(app: FastifyInstance, config: ControlDependencies['config']) {
  const browsers = { isAllowedOrigin: originTest(config), publicUrl: config.publicUrl }
  return (prefix: string, addEndpoints: (api: FastifyInstance) => Promise<void>) =>
    app.register(
      async (api) => {
        await api.register(browserCallers, browsers)
        api.setNotFoundHandler(sendNotFound)
        await addEndpoints(api)
      },
      { prefix }
    )
}

/** Receives the webhooks of both providers: no browser calls them, and no session applies. */
function receiveWebhooks(app: FastifyInstance, dependencies: ControlDependencies): void {
  const { config, dueUsers, customerRefresher, webhookCounts, clock } = dependencies
  app.register(identityWebhook, {
    prefix: '/api/auth',
    dueUsers,
    secrets: config.identity.webhookSecrets,
    webhookCounts
  })
  app.register(webhook, {
    prefix: '/api/billing',
    customerRefresher,
    webhookSecrets: config.payments.webhookSecrets,
    webhookCounts,
    clock
  })
}
