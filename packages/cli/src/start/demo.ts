import { createClient } from '@supabase/supabase-js'
import { type Catalog, freePlan } from '@tollgate/contracts/catalog/catalog.ts'
import { SystemError } from '../system/system-error.ts'

/** The user who can sign in after the first start. */
export const demoUser = { email: 'demo@tollgate.local', password: 'tollgate-demo', name: 'Demo' } as const

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
 * Creates the demo user with a confirmed address. An existing user is not changed.
 *
 * @throws SystemError if the identity server refuses
 */
export async function seedDemoUser(identityUrl: string, serviceRoleKey: string, plan: string): Promise<void> {
  const { auth } = createClient(identityUrl, serviceRoleKey, {
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false }
  })
  const { error } = await auth.admin.createUser({
    email: demoUser.email,
    password: demoUser.password,
    email_confirm: true,
    user_metadata: { name: demoUser.name },
    app_metadata: { plan }
  })
  if (error !== null && error.code !== 'email_exists') {
    throw new SystemError(`Creating the demo user failed: ${error.message}`, { cause: error })
  }
}
