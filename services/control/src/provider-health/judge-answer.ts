import type { ProviderHealth } from './provider-health.ts'

type Report = ProviderHealth['report']

/** Reports what the status of an answer says about the key of a call to Stripe. */
export function judgeStripeAnswer(status: number, report: Report): void {
  if (status === 401) {
    report('STRIPE_SECRET_KEY', 'Stripe refuses this key (401). Copy the secret key from dashboard.stripe.com/apikeys')
  } else if (isAccepted(status)) report('STRIPE_SECRET_KEY', null)
}

/** Reports what the status of an answer says about the anon key. Only paths at which users' tokens play no role count. */
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
