import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { ControlConfig } from '../config.ts'
import type { ProviderHealth, ProviderSetting } from './provider-health.ts'

const callTimeoutMs = 10_000
const [firstPauseMs, maxPauseMs] = [1000, 60_000]

/** Checks the providers' settings once, in the background. */
export interface ProviderChecks {
  start(): void
  /** Ends the checks that are still under way. */
  stop(): Promise<void>
}

export interface ProviderChecksOptions {
  config: {
    identity: Pick<ControlConfig['identity'], 'url' | 'anonKey' | 'serviceRoleKey'>
    payments: Pick<ControlConfig['payments'], 'secretKey' | 'apiBase'>
  }
  health: ProviderHealth
  log: Pick<FastifyBaseLogger, 'warn'>
}

/**
 * Calls each provider with each key. A refusal is reported as a problem of the key. Any other failure is retried with
 * growing pauses, because it says nothing about the key.
 */
export function createProviderChecks({ config, health, log }: ProviderChecksOptions): ProviderChecks {
  const stopping = new AbortController()
  const { signal } = stopping
  let running: Promise<unknown> = Promise.resolve()
  const checks = providerCalls(config, health)

  async function untilAnswered({ what, call }: ProviderCall): Promise<void> {
    for (let pauseMs = firstPauseMs; !signal.aborted; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
      try {
        await call(AbortSignal.any([signal, AbortSignal.timeout(callTimeoutMs)]))
        return
      } catch (err) {
        if (signal.aborted) return
        // Later failures are most likely the same.
        if (pauseMs === firstPauseMs) log.warn({ err, setting: what }, `${what} cannot be checked yet`)
      }
      await delay(pauseMs, undefined, { signal }).catch(() => undefined)
    }
  }

  return {
    start() {
      running = Promise.all(checks.map(untilAnswered))
    },
    async stop() {
      stopping.abort()
      await running
    }
  }
}

interface ProviderCall {
  readonly what: ProviderSetting
  /** @throws if the answer says nothing about the setting */
  call(signal: AbortSignal): Promise<void>
}

function providerCalls(
  { identity, payments }: ProviderChecksOptions['config'],
  { report }: ProviderHealth
): ProviderCall[] {
  const { url, anonKey, serviceRoleKey } = identity
  const auth = `${url}/auth/v1`
  return [
    {
      what: 'STRIPE_SECRET_KEY',
      async call(signal) {
        // Reading subscriptions is a right that control needs, also with a restricted key.
        const subscriptions = `${payments.apiBase}/v1/subscriptions?limit=1`
        const { status } = await ask(subscriptions, { authorization: `Bearer ${payments.secretKey}` }, signal)
        judgeStripeAnswer(status, report)
        if (status === 403) {
          const missing = 'this key may not read subscriptions (403). deploy/stripe/README.md lists the rights it needs'
          report('STRIPE_SECRET_KEY', missing)
        } else assertSays(status)
      }
    },
    {
      what: 'SUPABASE_ANON_KEY',
      async call(signal) {
        const { status, isJson } = await ask(`${auth}/settings`, keyHeaders(anonKey), signal)
        judgeAnonAnswer('/auth/v1/settings', status, report)
        const isOther = status === 404 || (status === 200 && !isJson)
        if (isOther) {
          report('SUPABASE_URL', `another server than Supabase Auth answers there (${status}). Copy the project's URL`)
        } else assertSays(status)
      }
    },
    {
      what: 'SUPABASE_SERVICE_ROLE_KEY',
      async call(signal) {
        const users = `${auth}/admin/users?page=1&per_page=1`
        const { status } = await ask(users, keyHeaders(serviceRoleKey), signal)
        judgeServiceRoleAnswer('/auth/v1/admin/users', status, report)
        if (status !== 403) assertSays(status)
      }
    }
  ]
}

const keyHeaders = (key: string) => ({ apikey: key, authorization: `Bearer ${key}` })

async function ask(
  url: string,
  headers: Record<string, string>,
  signal: AbortSignal
): Promise<{ status: number; isJson: boolean }> {
  const response = await fetch(url, { headers, signal })
  await response.body?.cancel()
  return { status: response.status, isJson: /\bjson\b/.test(response.headers.get('content-type') ?? '') }
}

/** @throws Error if a status is neither an acceptance nor a refusal of the key */
function assertSays(status: number): void {
  if (status === 404 || status === 401 || (status >= 200 && status < 300)) return
  throw new Error(`the provider answered ${status}`)
}

type Report = ProviderHealth['report']

/** Reports what the status of an answer says about the key of a call to Stripe. */
export function judgeStripeAnswer(status: number, report: Report): void {
  if (status === 401) {
    report('STRIPE_SECRET_KEY', 'Stripe refuses this key (401). Copy the secret key from dashboard.stripe.com/apikeys')
  } else if (isAccepted(status)) report('STRIPE_SECRET_KEY', null)
}

/**
 * Reports what the status of an answer says about the anon key. Only paths at which users' tokens play no role count.
 */
export function judgeAnonAnswer(path: string, status: number, report: Report): void {
  if (!/\/auth\/v1\/(token|settings|signup|otp|recover)$/.test(path)) return
  if (status === 401) {
    report('SUPABASE_ANON_KEY', 'Supabase refuses this key (401). Copy the publishable (anon) key of the project')
  } else if (isAccepted(status)) report('SUPABASE_ANON_KEY', null)
}

/** Reports what the status of an answer says about the service role key. */
export function judgeServiceRoleAnswer(path: string, status: number, report: Report): void {
  if (!path.includes('/auth/v1/admin/')) return
  if (status === 401 || status === 403) {
    report(
      'SUPABASE_SERVICE_ROLE_KEY',
      `Supabase refuses this key for administration (${status}). Copy the secret (service role) key of the project`
    )
  } else if (isAccepted(status)) report('SUPABASE_SERVICE_ROLE_KEY', null)
}

const isAccepted = (status: number): boolean => status >= 200 && status < 300
