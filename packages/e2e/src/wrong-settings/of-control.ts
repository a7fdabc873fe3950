import { secretMark } from './world.ts'
import { type WrongSetting, wrong } from './wrong-setting.ts'

const withPassword = (url: string, password: string): string => {
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//app:${password}@${host}${pathname}`
}

/** Wrong settings of control. */
export const ofControl: readonly WrongSetting[] = [
  wrong(
    'control',
    '`SUPABASE_SERVICE_ROLE_KEY` missing',
    { SUPABASE_SERVICE_ROLE_KEY: '' },
    'SUPABASE_SERVICE_ROLE_KEY: missing. Copy it from supabase.com: your project, Project Settings, API Keys, the secret (service role) key'
  ),
  wrong(
    'control',
    '`STRIPE_SECRET` instead of `STRIPE_SECRET_KEY`',
    { STRIPE_SECRET_KEY: '', STRIPE_SECRET: `sk_${secretMark}` },
    'STRIPE_SECRET: no such variable. Did you mean STRIPE_SECRET_KEY?'
  ),
  wrong(
    'control',
    '`DATABASE_URL` missing',
    { DATABASE_URL: '' },
    'DATABASE_URL: missing. Set postgres://user:password@host:5432/database, or pglite:<directory>'
  ),
  wrong(
    'control',
    '`LOG_LEVEL=verbose`',
    { LOG_LEVEL: 'verbose' },
    'LOG_LEVEL: must be one of fatal, error, warn, info, debug, trace'
  ),
  wrong(
    'control',
    '`CONTROL_PORT=70000`',
    { CONTROL_PORT: '70000' },
    'CONTROL_PORT: must be a whole number from 0 to 65535'
  ),
  wrong(
    'control',
    '`CONTROL_PORT` used by another program',
    ({ takenPort }) => ({ CONTROL_PORT: String(takenPort) }),
    'Another program uses port … on 127.0.0.1. Stop it, or set CONTROL_PORT to another port.'
  ),
  wrong(
    'control',
    '`CONTROL_ADMIN_PORT` used by another program',
    ({ takenPort }) => ({ CONTROL_ADMIN_PORT: String(takenPort) }),
    'Another program uses port … on 127.0.0.1. Stop it, or set CONTROL_ADMIN_PORT to another port.'
  ),
  wrong(
    'control',
    '`CONTROL_ADMIN_PORT` the same as `CONTROL_PORT`',
    { CONTROL_PORT: '3000', CONTROL_ADMIN_PORT: '3000' },
    'CONTROL_ADMIN_PORT: must differ from CONTROL_PORT. Clients must not reach the admin port'
  ),
  wrong(
    'control',
    '`RECONCILE_INTERVAL=60,5`',
    { RECONCILE_INTERVAL: '60,5' },
    'RECONCILE_INTERVAL: must be a whole number from 60 to 604800: write it without a comma'
  ),
  wrong(
    'control',
    '`PUBLIC_URL` without `https://`',
    { PUBLIC_URL: 'app.example.com' },
    'PUBLIC_URL: must be http:// or https:// with a host and an optional port, without a path'
  ),
  wrong(
    'control',
    '`GATEWAY_PUBLIC_URL` with a path',
    { GATEWAY_PUBLIC_URL: 'https://api.example.com/v1' },
    'GATEWAY_PUBLIC_URL: must be http:// or https:// with a host and an optional port, without a path'
  ),
  wrong(
    'control',
    '`SERVICE_DOMAIN` of another site',
    { SERVICE_DOMAIN: 'example.org' },
    'SERVICE_DOMAIN: must be the host of PUBLIC_URL or a domain above it'
  ),
  wrong(
    'control',
    '`SERVICE_DOMAIN=https://example.com`',
    { SERVICE_DOMAIN: 'https://example.com' },
    'SERVICE_DOMAIN: must be a host such as example.com, without https:// and in lower case'
  ),
  wrong(
    'control',
    '`CORS_EXTRA_ORIGINS=*`',
    { CORS_EXTRA_ORIGINS: '*' },
    'CORS_EXTRA_ORIGINS: every entry must be an origin such as http://localhost:5173, without a path'
  ),
  wrong(
    'control',
    '`TRUST_PROXY=2`',
    { TRUST_PROXY: '2' },
    'TRUST_PROXY: must be true, false, or IP addresses and networks separated by commas'
  ),
  wrong(
    'control',
    '`STRIPE_SECRET_KEY` in quotes that stay',
    { STRIPE_SECRET_KEY: `"sk_${secretMark}"` },
    'STRIPE_SECRET_KEY: the quotes around the value are part of it. Remove them: this kind of file takes values without quotes'
  ),
  wrong(
    'control',
    '`SUPABASE_ANON_KEY` with a space at its end',
    { SUPABASE_ANON_KEY: `anon-${secretMark} ` },
    'SUPABASE_ANON_KEY: ends with a space or a line break. Remove it'
  ),
  wrong(
    'control',
    '`STRIPE_WEBHOOK_SECRET` cut off',
    { STRIPE_WEBHOOK_SECRET: 'whsec_1' },
    'STRIPE_WEBHOOK_SECRET: every entry must be a signing secret (whsec_…), without spaces inside'
  ),
  wrong(
    'control',
    '`SUPABASE_URL` without `https://`',
    { SUPABASE_URL: 'project.supabase.co' },
    'SUPABASE_URL: must be an http:// or https:// URL'
  ),
  wrong(
    'control',
    '`CATALOG_FILE` that does not exist',
    { CATALOG_FILE: '/nonexistent/catalog.yaml' },
    'The catalog file is not published. Catalog … stays in force. /nonexistent/catalog.yaml: cannot be read (ENOENT)',
    { status: 200 }
  ),
  wrong(
    'control',
    '`SITE_TEXTS` that does not exist',
    { SITE_TEXTS: '/nonexistent/texts' },
    'SITE_TEXTS: must be a folder that control can read'
  ),
  wrong(
    'control',
    '`DATABASE_URL` with `@` in the password',
    { DATABASE_URL: `postgres://app:p@${secretMark}@db/tollgate` },
    'DATABASE_URL: the user or password has an unencoded "@". Write %40 for it'
  ),
  wrong(
    'control',
    '`DATABASE_URL` with `#` in the password',
    { DATABASE_URL: `postgres://app:p#${secretMark}@db/tollgate` },
    'DATABASE_URL: the user or password has an unencoded "#". Write %23 for it'
  ),
  wrong(
    'control',
    '`DATABASE_URL=mysql://…`',
    { DATABASE_URL: 'mysql://localhost/tollgate' },
    'DATABASE_URL: must be postgres://user:password@host:5432/database, or pglite:<directory>'
  ),
  wrong(
    'control',
    '`DATABASE_URL` with a wrong password',
    ({ databaseUrl }) => ({ DATABASE_URL: withPassword(databaseUrl, secretMark) }),
    'DATABASE_URL: password authentication failed for user "app". Correct the user or password, or percent-encode their special characters (%40 for @)'
  ),
  wrong(
    'control',
    '`DATABASE_URL` with a database that does not exist',
    ({ databaseUrl }) => ({ DATABASE_URL: `${databaseUrl}-2` }),
    'DATABASE_URL: database "postgres-2" does not exist. Create the database, or correct its name'
  ),
  wrong(
    'control',
    '`REDIS_URL` with a wrong password',
    ({ redisUrl }) => ({ REDIS_URL: redisUrl.replace(secretMark, `other-${secretMark}`) }),
    'REDIS_URL: Redis refuses the user or password. Correct them, or percent-encode their special characters (%40 for @)'
  ),
  wrong(
    'control',
    '`REDIS_URL` of a Redis that is away',
    ({ closedPort }) => ({ REDIS_URL: `redis://127.0.0.1:${closedPort}` }),
    'connect ECONNREFUSED',
    { status: 200, shows: { redis: false } }
  ),
  wrong(
    'control',
    '`STRIPE_SECRET_KEY` that Stripe refuses',
    { STRIPE_SECRET_KEY: `sk_test_other_${secretMark}` },
    'STRIPE_SECRET_KEY: Stripe refuses this key (401). Copy the secret key from dashboard.stripe.com/apikeys',
    { status: 200, shows: 'STRIPE_SECRET_KEY' }
  ),
  wrong(
    'control',
    '`SUPABASE_ANON_KEY` that Supabase refuses',
    { SUPABASE_ANON_KEY: `other-${secretMark}` },
    'SUPABASE_ANON_KEY: Supabase refuses this key (401). Copy the publishable (anon) key of the project',
    { status: 200, shows: 'SUPABASE_ANON_KEY' }
  ),
  wrong(
    'control',
    '`SUPABASE_SERVICE_ROLE_KEY` with the anon key',
    { SUPABASE_SERVICE_ROLE_KEY: `anon-${secretMark}` },
    'SUPABASE_SERVICE_ROLE_KEY: Supabase refuses this key for administration (…). Copy the secret (service role) key of the project',
    { status: 200, shows: 'SUPABASE_SERVICE_ROLE_KEY' }
  ),
  wrong(
    'control',
    '`SUPABASE_URL` of another server',
    ({ otherServer }) => ({ SUPABASE_URL: otherServer }),
    "SUPABASE_URL: another server than Supabase Auth answers there (404). Copy the project's URL",
    { status: 200, shows: 'SUPABASE_URL' }
  ),
  {
    ...wrong(
      'control',
      '`STRIPE_WEBHOOK_SECRET` of another endpoint',
      { STRIPE_WEBHOOK_SECRET: `whsec_other_${secretMark}_secret` },
      "refused webhooks of the payment provider: the signature is wrong. Set STRIPE_WEBHOOK_SECRET to this endpoint's signing secret (dashboard.stripe.com/webhooks)",
      { status: 200 }
    ),
    webhookSecret: `whsec_${secretMark}_of_the_endpoint`
  }
]
