/** Where to get the value of a variable without a default. */
export const sources: Readonly<Record<string, string>> = {
  PUBLIC_URL: 'Set PUBLIC_URL to the address that browsers use for control, such as https://app.example.com.',
  SUPABASE_URL: 'Copy it from Supabase: Project Settings → Data API → Project URL.',
  SUPABASE_ANON_KEY: 'Copy it from Supabase: Project Settings → API Keys → publishable key (or anon key).',
  SUPABASE_SERVICE_ROLE_KEY: 'Copy it from Supabase: Project Settings → API Keys → secret key (or service_role key).',
  STRIPE_SECRET_KEY:
    'Copy it from Stripe: Developers → API keys. deploy/stripe/README.md lists the rights of a restricted key.',
  STRIPE_WEBHOOK_SECRET: 'Copy it from Stripe: Developers → Webhooks → your endpoint → Signing secret (whsec_…).',
  DATABASE_URL: 'Set DATABASE_URL=postgres://user:password@host:5432/database',
  REDIS_URL: 'Set REDIS_URL=redis://:password@host:6379. deploy/redis/README.md has the other forms.'
}
