import { createHash } from 'node:crypto'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { catalogOf, emptyCatalog, type FileFacts } from './files.ts'
import { cureFailure, describeFailure, isPrivate } from './network.ts'
import {
  type Call,
  judgeEndpoints,
  judgePortal,
  judgePrices,
  judgeRefunds,
  type PaymentsFacts,
  readPayments
} from './payment-objects.ts'
import { type Checked, count, type Finding, type Result, resultsOf, skip } from './results.ts'
import type { Settings } from './settings.ts'

const { ok, error, warning } = resultsOf('Stripe')

export async function checkPayments(settings: Settings, files: FileFacts | null, timeoutMs: number): Promise<Checked> {
  const { control, areValid, embedded } = settings
  const invalid = ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET', 'STRIPE_API_BASE', 'PUBLIC_URL'].filter(
    (name) => !areValid(name)
  )
  if (control === null || invalid.length > 0) return skip('Stripe', ...invalid)
  const catalog = catalogOf(files) ?? emptyCatalog
  const ids = Object.values(catalog.plans).flatMap(({ prices = [] }) => prices.map(({ id }) => id))
  const facts = await readPayments(control.payments, ids, timeoutMs)
  const { publicUrl, payments } = control
  const isEmbedded = embedded.includes('payments')
  return {
    results: judgePayments(facts, catalog, { publicUrl, ...payments, isEmbedded }),
    clock: facts.skewMs === null ? null : { name: 'Stripe', skewMs: facts.skewMs }
  }
}

export interface PaymentsSettings {
  readonly publicUrl: string
  readonly secretKey: string
  readonly webhookSecrets: readonly string[]
  /** Whether the embedded payments server of `npm start` is used. */
  readonly isEmbedded: boolean
}

export function judgePayments(facts: PaymentsFacts, catalog: Catalog, settings: PaymentsSettings): Result[] {
  const calls: Array<Call<unknown>> = [facts.endpoints, facts.portal, facts.refunds, ...facts.prices.values()]
  const whole = judgeConnection(calls)
  if (whole !== null) return [whole]
  const plans = Object.entries(catalog.plans)
  const sold = plans.flatMap(([, { prices = [] }]) => prices.filter(({ isSold }) => isSold))
  const endpoints = judgeEndpoints(facts.endpoints, settings.publicUrl)
  return [
    ok(`The key is accepted. Stripe was asked for ${count(facts.prices.size, 'price')} of the catalog.`),
    ...judgeMode(settings),
    ...judgePrices(facts.prices, plans),
    ...endpoints,
    ...judgeSecrets(
      settings,
      endpoints.some(({ severity }) => severity === 'error')
    ),
    ...judgePortal(facts.portal, sold.length),
    ...judgeRefunds(facts.refunds)
  ]
}

/** A finding that explains all failed calls at once; null if Stripe answers. */
function judgeConnection(calls: ReadonlyArray<Call<unknown>>): Finding | null {
  const why = 'Checkout, the portal and invoices answer 503, and plans do not follow payments.'
  const refused = calls.find((call) => call.kind === 'refused' && call.status === 401)
  if (refused !== undefined && refused.kind === 'refused') {
    return error('payments_key_refused', {
      what: `Stripe refuses STRIPE_SECRET_KEY: ${refused.message}`,
      why,
      fix: 'Copy the key from Stripe: Developers → API keys. It begins with sk_ or rk_.'
    })
  }
  const failed = calls.find((call) => call.kind === 'failure')
  if (failed === undefined || failed.kind !== 'failure') return null
  return error('payments_unreachable', {
    what: describeFailure('Stripe (STRIPE_API_BASE)', failed.failure),
    why,
    fix: `Allow connections to api.stripe.com:443. ${cureFailure('STRIPE_API_BASE', failed.failure)}`
  })
}

/** `sk_test_…` and `rk_test_…` belong to a sandbox. */
function judgeMode({ secretKey, publicUrl, isEmbedded }: PaymentsSettings): Finding[] {
  if (isEmbedded) return []
  const { hostname } = new URL(publicUrl)
  const mode = /^(?:sk|rk)_(test|live)_/.exec(secretKey)?.[1]
  if (mode === 'test' && !isPrivate(hostname)) {
    return [
      warning('payments_test_key', {
        what: `STRIPE_SECRET_KEY is a test key, and PUBLIC_URL (${hostname}) is on the Internet.`,
        why: 'Everybody can pay with the test card 4242 4242 4242 4242, and get a paid plan for nothing.',
        fix: 'Before you open the service, set STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET of live mode, and its prices in the catalog.'
      })
    ]
  }
  if (mode !== 'live' || !isPrivate(hostname)) return []
  return [
    warning('payments_live_key', {
      what: `STRIPE_SECRET_KEY is a live key, and PUBLIC_URL (${hostname}) is not on the Internet.`,
      why: 'Tests here charge real cards. Stripe cannot reach the webhook.',
      fix: 'Use the key of a Stripe sandbox (sk_test_…) on this machine.'
    })
  ]
}

/** Stripe shows secrets only in its dashboard, so people compare their digests by hand. */
function judgeSecrets({ webhookSecrets, isEmbedded }: PaymentsSettings, isEndpointWrong: boolean): Result[] {
  if (isEmbedded) return []
  const foreign = webhookSecrets.find((secret) => !secret.startsWith('whsec_'))
  if (foreign !== undefined) {
    return [
      warning('payments_webhook_secret', {
        what: 'STRIPE_WEBHOOK_SECRET does not begin with whsec_.',
        why: 'Stripe signs with a secret of that form. Control refuses every webhook with another one.',
        fix: 'Copy it from Stripe: Developers → Webhooks → your endpoint → Signing secret. The key sk_… is another value.'
      })
    ]
  }
  if (isEndpointWrong) return []
  const digests = webhookSecrets.map((secret) => createHash('sha256').update(secret).digest('hex').slice(0, 8))
  return [
    ok(
      `Compare the signing secret by hand: the output of printf %s '<Signing secret>' | sha256sum begins with ${digests.join(' or ')}.`
    )
  ]
}
