import { createClient } from '@supabase/supabase-js'
import { type Catalog, freePlan } from '@tollgate/contracts/catalog/catalog.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { demoUser } from '../demo-data/add-demo-data.ts'
import { type EmbeddedPart, replaceableParts, type Variables } from '../system/embedded.ts'
import { SystemError } from '../system/system-error.ts'

/** Where the demo's visitors ask for a plan without a price. Nobody gets this mail. */
const demoSalesUrl = 'mailto:sales@tollgate.example'

/** Where the demo's visitors ask for help. Nobody gets this mail. */
const demoSupportUrl = 'mailto:support@example.com'

/** Example texts of the legal pages, so that a trial shows all pages. */
const demoSiteTexts = workspaceFile('deploy/site-texts')

/** So that a visitor's own server on this machine can get webhooks. Only this machine reaches the demo. */
const demoWebhookNetworks = '127.0.0.0/8,::1/128'

/** The names of this machine. */
const ownHosts = ['localhost', '127.0.0.1', '[::1]']

export { demoUser }

/** The operator who can sign in after the first start: they see `/api/admin`. */
export const demoOperator = { ...demoUser, email: 'operator@tollgate.local', name: 'Operator' } as const

/** The demo's plan and model. */
export interface DemoChoice {
  /** A plan with several keys, if the catalog has one. */
  readonly plan: string
  /** A chat model of that plan; null if it has none. */
  readonly model: string | null
}

export function chooseDemo(catalog: Catalog): DemoChoice {
  const plan = catalog.plans.pro === undefined ? freePlan : 'pro'
  const models = catalog.plans[plan]?.models ?? []
  return { plan, model: models.find((name) => catalog.models[name]?.kind === 'chat') ?? null }
}

/**
 * Creates the demo user and the demo operator with confirmed addresses. Existing users are not changed.
 *
 * @param plan of the demo user
 * @throws SystemError if the identity server refuses
 */
export async function seedDemoUsers(identityUrl: string, serviceRoleKey: string, plan: string): Promise<void> {
  const { auth } = createClient(identityUrl, serviceRoleKey, {
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false }
  })
  for (const [user, metadata] of [
    [demoUser, { plan }],
    [demoOperator, { role: 'operator' }]
  ] as const) {
    const { error } = await auth.admin.createUser({
      email: user.email,
      password: user.password,
      email_confirm: true,
      user_metadata: { name: user.name },
      app_metadata: metadata
    })
    if (error !== null && error.code !== 'email_exists') {
      throw new SystemError(`Creating the user ${user.email} failed: ${error.message}`, { cause: error })
    }
  }
}

/** Whether every part is embedded: with a real service, other people may use the system. */
export const isDemo = (embedded: ReadonlySet<EmbeddedPart>): boolean =>
  replaceableParts.every((part) => embedded.has(part))

/**
 * Control's further variables.
 *
 * @throws SystemError if the demo users, whose passwords are published, could be reached from other machines
 */
export function demoControlEnv(env: Variables, embedded: ReadonlySet<EmbeddedPart>): Variables {
  return {
    ...(embedded.has('identity') && { ALLOWED_HOSTS: allowedHosts(env) }),
    ...(isDemo(embedded) && {
      ...(isTrial(env) && exampleTexts(env)),
      WEBHOOK_ALLOWED_NETWORKS: env.WEBHOOK_ALLOWED_NETWORKS || demoWebhookNetworks
    })
  }
}

/** Whether nobody else gets to see the demo's pages and mails: nobody may publish our examples by accident. */
function isTrial({ PUBLIC_URL, SMTP_URL }: Variables): boolean {
  const isOwn = !PUBLIC_URL || (URL.canParse(PUBLIC_URL) && ownHosts.includes(new URL(PUBLIC_URL).hostname))
  return isOwn && !SMTP_URL
}

const exampleTexts = (env: Variables): Variables => ({
  ...(!env.SALES_URL && !env.SUPPORT_URL && { SALES_URL: demoSalesUrl }),
  SUPPORT_URL: env.SUPPORT_URL || demoSupportUrl,
  // With legal pages, the site does not link the operator's own.
  ...(!env.LEGAL_URL && { SITE_TEXTS: env.SITE_TEXTS || demoSiteTexts })
})

function allowedHosts(env: Variables): string {
  for (const name of ['CONTROL_HOST', 'GATEWAY_HOST'] as const) {
    const host = env[name]
    if (host && ![...ownHosts, '::1'].includes(host)) {
      throw new SystemError(
        `${name}=${host} would let other machines sign in with the demo's passwords, which are published. Remove ${name}, or set SUPABASE_URL to use real accounts.`
      )
    }
  }
  const publicHost = env.PUBLIC_URL && URL.canParse(env.PUBLIC_URL) ? [new URL(env.PUBLIC_URL).hostname] : []
  return env.ALLOWED_HOSTS || [...new Set([...ownHosts, ...publicHost])].join(',')
}
