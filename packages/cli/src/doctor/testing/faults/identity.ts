import type { IdentityOptions } from '@tollgate/sandbox/identity/start-identity.ts'
import { keys } from '../servers.ts'
import { deadPort, type Fault, withEnv } from './fault.ts'

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
