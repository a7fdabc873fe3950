import { readFileSync } from 'node:fs'
import type { IdentityOptions } from '@tollgate/sandbox/identity/start-identity.ts'
import type { PaymentsOptions } from '@tollgate/sandbox/payments/start-payments.ts'
import { keys, type MailServerOptions, mailPassword, startMailServer } from './servers.ts'
import { deadPort, type Fault, type World, withEnv } from './world.ts'

/** A Stripe account of its own with these settings, changed by calls of its API. */
const account = (
  name: string,
  code: string,
  options: (world: World) => Partial<PaymentsOptions>,
  ...calls: Array<readonly [path: string, form: Form]>
): Fault => ({
  name,
  codes: [code],
  async make(world) {
    const { url } = await world.startPayments(options(world))
    for (const [path, form] of calls) {
      const response = await fetch(`${url}/v1/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${keys.stripeKey}`, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(form)
      })
      if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
    }
    return { STRIPE_API_BASE: url }
  }
})

const none = () => ({})

const product = (amount: number) => ({
  products: [
    {
      id: 'prod_pro',
      name: 'Pro',
      prices: [
        { id: 'price_month', unit_amount: amount, currency: 'usd', interval: 'month' as const },
        { id: 'price_year', unit_amount: 20_000, currency: 'usd', interval: 'year' as const }
      ]
    }
  ]
})

export const paymentsFaults: readonly Fault[] = [
  withEnv('nothing listens at the address of Stripe', ['payments_unreachable'], {
    STRIPE_API_BASE: `http://127.0.0.1:${deadPort}`
  }),
  withEnv('the key of Stripe is wrong', ['payments_key_refused'], { STRIPE_SECRET_KEY: 'sk_test_anotherKey0123' }),
  withEnv('the secret of the webhook is another value', ['payments_webhook_secret'], {
    STRIPE_WEBHOOK_SECRET: keys.stripeKey
  }),
  {
    name: 'the key is a live key on a private machine',
    codes: ['payments_live_key'],
    async make({ startPayments }) {
      const apiKey = 'sk_live_ofTheDoctor0123'
      return { STRIPE_SECRET_KEY: apiKey, STRIPE_API_BASE: (await startPayments({ apiKey })).url }
    }
  },
  account('a price does not exist', 'price_absent', () => ({
    products: product(2000).products.map((one) => ({ ...one, prices: one.prices.slice(1) }))
  })),
  account('a price has another amount', 'price_differs', () => product(2500)),
  account('a price is archived', 'price_archived', none, ['prices/price_month', { active: 'false' }]),
  {
    name: 'a price is for one payment',
    codes: ['price_not_recurring'],
    async make({ startPayments, write, env }) {
      const { url } = await startPayments()
      const response = await fetch(`${url}/v1/prices`, {
        method: 'POST',
        headers: { authorization: `Bearer ${keys.stripeKey}`, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ product: 'prod_pro', currency: 'usd', unit_amount: '2000' })
      })
      const { id } = (await response.json()) as { id: string }
      const yaml = readFileSync(env.CATALOG_FILE!, 'utf8').replace('price_month', id)
      return { STRIPE_API_BASE: url, CATALOG_FILE: write('one-time.yaml', yaml) }
    }
  },
  account('there is no webhook endpoint', 'webhook_absent', () => ({ webhook: null })),
  account('the webhook endpoint is of another address', 'webhook_absent', () => ({
    webhook: { url: 'https://app.example.com/api/billing/webhook', secrets: [keys.webhookSecret] }
  })),
  account('the webhook endpoint is disabled', 'webhook_disabled', none, [
    'webhook_endpoints/we_configured',
    { disabled: 'true' }
  ]),
  account('the webhook endpoint lacks events', 'webhook_events', none, [
    'webhook_endpoints/we_configured',
    { 'enabled_events[0]': 'checkout.session.completed', 'enabled_events[1]': 'invoice.payment_failed' }
  ]),
  account('the portal was never saved', 'portal_absent', () => ({ hasDefaultPortal: false })),
  account('the portal lets nobody cancel', 'portal_features', none, [
    'billing_portal/configurations/bpc_default',
    { 'features[subscription_cancel][enabled]': 'false' }
  ]),
  {
    name: 'a restricted key may not read webhook endpoints',
    codes: ['webhooks_unreadable'],
    async make({ startPayments }) {
      const { url, controls } = await startPayments()
      const message = 'The provided key does not have the required permissions for this endpoint.'
      const body = JSON.stringify({ error: { type: 'invalid_request_error', message } })
      controls.failNext({ path: '/v1/webhook_endpoints', status: 403, body })
      return { STRIPE_API_BASE: url }
    }
  }
]

const mailServer = (name: string, code: string, options: MailServerOptions): Fault => ({
  name,
  codes: [code],
  async make() {
    const { env, close } = await startMailServer(options)
    return { env, undo: close }
  }
})

const MAIL_FROM = 'no-reply@example.com'

export const mailFaults: readonly Fault[] = [
  withEnv('nothing listens at the mail server', ['mail_unreachable'], {
    SMTP_URL: `smtp://127.0.0.1:${deadPort}`,
    MAIL_FROM
  }),
  withEnv('the host of the mail server is unknown', ['mail_unreachable'], {
    SMTP_URL: 'smtp://mail.invalid',
    MAIL_FROM
  }),
  mailServer('the mail server refuses every connection', 'mail_unreachable', {
    greeting: '554 go away',
    password: mailPassword
  }),
  mailServer('the password of the mail server is wrong', 'mail_login_refused', { password: 'another password' }),
  {
    name: 'the mail server has no TLS from the start',
    codes: ['mail_without_tls'],
    async make() {
      const { env, close } = await startMailServer({ password: mailPassword })
      return { env: { ...env, SMTP_URL: env.SMTP_URL.replace('smtp:', 'smtps:') }, undo: close }
    }
  }
]

/** A project of its own with these settings. */
const configured = (name: string, code: string, options: Partial<IdentityOptions>): Fault => ({
  name,
  codes: [code],
  make: async ({ startIdentity }) => ({ SUPABASE_URL: (await startIdentity(options)).url })
})

export const identityFaults: readonly Fault[] = [
  withEnv('nothing listens at the address of Supabase', ['identity_unreachable'], {
    SUPABASE_URL: `http://127.0.0.1:${deadPort}`
  }),
  {
    name: 'another server is at the address of Supabase',
    codes: ['identity_foreign'],
    make: async ({ env }) => ({ SUPABASE_URL: env.PUBLIC_URL! })
  },
  withEnv('the publishable key is wrong', ['identity_anon_key_refused'], { SUPABASE_ANON_KEY: 'sb_publishable_other' }),
  withEnv('the secret key is wrong', ['identity_secret_key_refused'], { SUPABASE_SERVICE_ROLE_KEY: 'sb_secret_other' }),
  withEnv('the secret key is the publishable key', ['identity_secret_key_without_rights'], {
    SUPABASE_SERVICE_ROLE_KEY: keys.anonKey
  }),
  withEnv('both keys are exchanged', ['identity_anon_key_is_secret'], {
    SUPABASE_ANON_KEY: keys.serviceRoleKey,
    SUPABASE_SERVICE_ROLE_KEY: keys.anonKey
  }),
  configured('nobody may sign up', 'identity_signup_off', { isSignUpDisabled: true }),
  configured('addresses are confirmed without a mail', 'identity_autoconfirm', { isAutoconfirm: true }),
  configured('e-mail and password are off', 'identity_email_off', { isEmailEnabled: false }),
  withEnv('a sign-in provider is off', ['identity_provider_off'], { AUTH_PROVIDERS: 'github' }),
  configured('mails lead to another site', 'identity_site_url', { siteUrl: 'https://app.example.com' }),
  withEnv('the webhook of Supabase has no secret', ['identity_webhook_secret'], { IDENTITY_WEBHOOK_SECRET: undefined })
]

type Form = Record<string, string>
