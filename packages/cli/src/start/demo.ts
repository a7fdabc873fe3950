import { createClient } from '@supabase/supabase-js'
import { type Catalog, freePlan } from '@tollgate/contracts/catalog/catalog.ts'
import { demoUser } from '../demo-data/demo-user.ts'
import { SystemError } from '../system/system-error.ts'

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
