import type { DatabaseSync } from 'node:sqlite'
import type { FastifyInstance } from 'fastify'
import type Stripe from 'stripe'
import { portFailure, requireFreePort, startOnPort } from '../free-port.ts'
import { inTransaction } from '../open-sqlite.ts'
import { buildPaymentsApp } from './app.ts'
import { createClock, type PaymentsContext } from './context.ts'
import { type Controls, createControls } from './controls.ts'
import { createAnswers, createDeliveries, createNumbers, openDatabase } from './database.ts'
import { Deliverer } from './deliverer.ts'
import { createEmit } from './emit.ts'
import { newWebhookEndpoint } from './events.ts'
import { type Api, CallRecord, Failures } from './http/api.ts'
import { createObjects } from './object-store.ts'
import { dueOf } from './periods.ts'
import { allFeatures, newPortalConfiguration } from './portal-configurations.ts'
import { newPrice, newProduct } from './prices.ts'
import { runDue } from './run-due.ts'
import { completeSettings, type GivenSettings } from './settings.ts'

const configuredEndpoint = 'we_configured'
const defaultPortal = 'bpc_default'

export type PaymentsOptions = GivenSettings & {
  /** 0 chooses a free port. */
  readonly port: number
  /** The directory of the account's data; made if absent. Without one the data is in memory. */
  readonly dataDir?: string | null
  /** The time in Unix milliseconds; the system's clock by default. To change the time, call `controls.advance`. */
  readonly now?: () => number
  /** Whether failures and requests to unsupported endpoints are logged to stderr. */
  readonly isLogging?: boolean
}

export interface RunningPayments {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  readonly port: number
  readonly controls: Controls
  close(): Promise<void>
}

/** How often the server looks for due work without requests. */
const tickMs = 1_000

/**
 * Starts the embedded payments server, which speaks Stripe's API, on 127.0.0.1. Resolves when it answers. Connect the
 * real library with `new Stripe(apiKey, { host: '127.0.0.1', port, protocol: 'http', telemetry: false })`.
 *
 * @throws PortTakenError if another program uses the port
 * @throws Error if another server uses the `dataDir`
 */
export async function startPayments(options: PaymentsOptions): Promise<RunningPayments> {
  const { dataDir = null, isLogging = false } = options
  // Before the data is opened, so that a second start of the same server reports its port.
  if (options.port !== 0) await requireFreePort(options.port)
  const database = openDatabase(dataDir)
  const stop = new AbortController()
  let app: FastifyInstance | null = null
  let url = ''
  const { api, deliverer, controls } = createParts(options, database, { baseUrl: () => url, stop: stop.signal })
  const tick = setInterval(() => {
    api.catchUp()
    api.deliver()
  }, tickMs).unref()
  const close = async () => {
    clearInterval(tick)
    stop.abort()
    deliverer.close()
    await app?.close()
    if (database.isOpen) database.close()
  }
  try {
    seedAccount(api.context)
    const port = await startOnPort(options.port, async (port) => {
      const listening = buildPaymentsApp(api, controls, isLogging && { level: 'warn', stream: process.stderr })
      app = listening
      url = await listen(listening, port)
      return port
    })
    deliverer.wake()
    return { url, port, controls, close }
  } catch (error) {
    await close()
    throw error
  }
}

interface ServerState {
  /** The server's URL, known once it listens. */
  baseUrl(): string
  readonly stop: AbortSignal
}

interface Parts {
  readonly api: Api
  readonly deliverer: Deliverer
  readonly controls: Controls
}

function createParts(options: PaymentsOptions, database: DatabaseSync, { baseUrl, stop }: ServerState): Parts {
  const { now = Date.now } = options
  let request: Stripe.Event.Request | null = null
  const objects = createObjects(database, dueOf)
  const deliveries = createDeliveries(database)
  const clock = createClock(createNumbers(database), now)
  const context: PaymentsContext = {
    settings: completeSettings(options),
    database,
    objects,
    answers: createAnswers(database),
    deliveries,
    clock,
    emit: createEmit({
      objects,
      deliveries,
      request: () => request,
      nowS: clock.nowS,
      nowMs: Date.now
    }),
    baseUrl
  }
  const deliverer = new Deliverer(context)
  const api: Api = {
    context,
    calls: new CallRecord(),
    failures: new Failures(),
    keysInUse: new Set(),
    catchUp: () => runDue(context, clock.nowS()),
    deliver: () => deliverer.wake(),
    runForRequest(call, change) {
      request = call
      try {
        return change()
      } finally {
        request = null
      }
    },
    stop
  }
  return { api, deliverer, controls: createControls(api, deliverer) }
}

async function listen(app: FastifyInstance, port: number): Promise<string> {
  try {
    return await app.listen({ host: '127.0.0.1', port })
  } catch (error) {
    throw portFailure(error, port)
  }
}

/** Creates or updates the objects that the settings name, as a person would in Stripe's dashboard. */
function seedAccount(context: PaymentsContext): void {
  inTransaction(context.database, () => {
    seedProducts(context)
    seedWebhook(context)
    if (context.settings.hasDefaultPortal) seedPortal(context)
  })
}

/** A changed amount applies to new subscriptions; existing ones keep the old amount. */
function seedProducts({ settings, objects, clock }: PaymentsContext): void {
  const nowS = clock.nowS()
  for (const { id, name, prices } of settings.products) {
    const product = objects.get('product', id) ?? newProduct(id, name, nowS)
    objects.put('product', { ...product, name, active: true })
    for (const { id: priceId, unit_amount, currency, interval } of prices) {
      const price = newPrice({ id: priceId, product: id, currency, unitAmount: unit_amount, interval }, nowS)
      objects.put('price', { ...price, created: objects.get('price', priceId)?.created ?? nowS })
    }
  }
}

function seedWebhook({ settings, objects, clock }: PaymentsContext): void {
  if (settings.webhook === null) {
    objects.remove('endpoint', configuredEndpoint)
    return
  }
  const { url, secrets } = settings.webhook
  const endpoint = newWebhookEndpoint(configuredEndpoint, url, clock.nowS())
  objects.put('endpoint', { id: endpoint.id, endpoint, secrets })
}

function seedPortal({ objects, clock }: PaymentsContext): void {
  if (objects.get('billing_portal.configuration', defaultPortal) !== null) return
  objects.put(
    'billing_portal.configuration',
    newPortalConfiguration(
      {
        id: defaultPortal,
        isDefault: true,
        features: allFeatures,
        headline: null,
        defaultReturnUrl: null,
        metadata: {},
        name: null
      },
      clock.nowS()
    )
  )
}
