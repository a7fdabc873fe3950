import assert from 'node:assert/strict'
import { ConfigError } from '@tollgate/service/config/load-config.ts'
import { test } from 'tap'
import { loadControlConfig } from './config.ts'

const complete = {
  PUBLIC_URL: 'https://app.example.com',
  SUPABASE_URL: 'https://project.supabase.example/',
  SUPABASE_ANON_KEY: 'anon',
  SUPABASE_SERVICE_ROLE_KEY: 'service',
  STRIPE_SECRET_KEY: 'sk_test_1',
  STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef',
  DATABASE_URL: 'postgres://localhost/tollgate',
  REDIS_URL: 'redis://localhost'
}

const mail = { SMTP_URL: 'smtp://mail.example.com', MAIL_FROM: 'no-reply@example.com' }

test('what is not given has a default that suits a service behind a proxy on the same host', async () => {
  const config = loadControlConfig(complete)
  assert.equal(config.host, '127.0.0.1')
  assert.equal(config.port, 3000)
  assert.equal(config.serviceDomain, 'app.example.com')
  assert.equal(config.trustProxy, false)
  assert.deepEqual(config.extraOrigins, [])
  assert.match(config.catalogFile, /deploy\/catalog\.yaml$/)
  assert.equal(config.identity.url, 'https://project.supabase.example')
})

test('every variable that is missing is named at once', async () => {
  assert.throws(
    () => loadControlConfig({}),
    (error: unknown) => {
      assert(error instanceof ConfigError)
      for (const name of Object.keys(complete)) assert.match(error.message, new RegExp(`\\b${name}\\b`))
      return true
    }
  )
})

test('a bad variable is named, and its value is not repeated', async () => {
  const bad: Array<[name: keyof typeof complete | string, value: string]> = [
    ['CONTROL_PORT', '70000'],
    ['CONTROL_PORT', 'http'],
    ['CONTROL_ADMIN_PORT', '3000'],
    ['PUBLIC_URL', 'app.example.com'],
    ['PUBLIC_URL', 'https://app.example.com/base'],
    ['PUBLIC_URL', 'ftp://app.example.com'],
    ['GATEWAY_PUBLIC_URL', 'https://models.example.com/v1'],
    ['SERVICE_DOMAIN', 'other.example'],
    ['SERVICE_DOMAIN', 'ample.com'],
    ['SERVICE_DOMAIN', 'https://example.com'],
    ['CORS_EXTRA_ORIGINS', 'http://localhost:5173, localhost'],
    ['CORS_EXTRA_ORIGINS', 'http://localhost:5173/'],
    ['CORS_EXTRA_ORIGINS', '*'],
    ['ALLOWED_HOSTS', 'https://app.example.com'],
    ['ALLOWED_HOSTS', 'app.example.com, app.example.com:443'],
    ['SUPABASE_URL', 'project.supabase.example'],
    ['SUPABASE_ANON_KEY', 'anon\nkey'],
    ['SUPABASE_SERVICE_ROLE_KEY', 'service\nkey'],
    ['STRIPE_SECRET_KEY', 'sk_test_1\nsk_test_2'],
    ['OTEL_EXPORTER_OTLP_LOGS_ENDPOINT', 'collector:4318'],
    ['STRIPE_WEBHOOK_SECRET', ','],
    ['STRIPE_WEBHOOK_SECRET', 'whsec_0123456789abcdef, whsec'],
    ['STRIPE_WEBHOOK_SECRET', 'whsec_0123456789abcdef whsec_0123456789abcdeg'],
    ['STRIPE_API_BASE', 'api.stripe.com'],
    ['STRIPE_API_BASE', 'http://127.0.0.1:4025/v1'],
    ['SMTP_URL', 'mail.example.com:587'],
    ['SMTP_URL', 'https://mail.example.com'],
    ['SMTP_URL', 'smtp://'],
    ['SMTP_URL', 'smtp://mail.example.com/inbox'],
    ['SMTP_URL', 'smtp://user:50%@mail.example.com'],
    ['SMTP_URL', 'smtp://user:pass/word@mail.example.com'],
    ['SMTP_URL', 'smtp://:password@mail.example.com'],
    ['MAIL_FROM', ''],
    ['MAIL_FROM', 'Tollgate'],
    ['MAIL_FROM', 'Tollgate <no-reply>'],
    ['MAIL_FROM', 'a@example.com, b@example.com'],
    ['DATABASE_URL', 'mysql://localhost/tollgate'],
    ['DATABASE_URL', 'pglite:'],
    ['DATABASE_POOL_SIZE', '0'],
    ['REDIS_URL', 'http://localhost'],
    ['PUBLIC_SITE', 'no'],
    ['SITE_TEXTS', '/nonexistent/texts'],
    ['TRUST_PROXY', 'yes'],
    // A number of hops cannot tell a proxy from a client that connects directly.
    ['TRUST_PROXY', '2'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TRUST_PROXY', '1.2.3.4/24/8'],
    ['TRUST_PROXY', '0.0.0.0/0'],
    ['TRUST_PROXY', 'fe80::1%eth0'],
    ['LOG_LEVEL', 'loud']
  ]
  for (const [name, value] of bad) {
    assert.throws(
      () => loadControlConfig({ ...complete, ...mail, [name]: value }),
      (error: unknown) => {
        assert(error instanceof ConfigError, `${name}=${value}`)
        assert.deepEqual(
          error.problems.map((problem) => problem.split(':')[0]),
          [name],
          `${name}=${value}`
        )
        return true
      },
      `${name}=${value} was accepted`
    )
  }
})

test('proxies are trusted by address, by network or altogether', async () => {
  const trusted = (text: string) => loadControlConfig({ ...complete, TRUST_PROXY: text }).trustProxy
  assert.equal(trusted('true'), true)
  assert.equal(trusted('false'), false)
  assert.deepEqual(trusted('loopback, 10.0.0.0/8, ::1, fd00::/8'), ['loopback', '10.0.0.0/8', '::1', 'fd00::/8'])
})

test('the cookie may belong to a domain above the public host', async () => {
  assert.equal(loadControlConfig({ ...complete, SERVICE_DOMAIN: 'example.com' }).serviceDomain, 'example.com')
  assert.equal(
    loadControlConfig({ ...complete, PUBLIC_URL: 'http://localhost:3000/' }).publicUrl,
    'http://localhost:3000'
  )
})

test('mails need a server and a sender, and a password leaves this machine only over TLS', async () => {
  const read = (url: string, from = 'Tollgate <no-reply@example.com>') =>
    loadControlConfig({ ...complete, SMTP_URL: url, MAIL_FROM: from }).smtp
  assert.equal(loadControlConfig(complete).smtp, null)
  const login = { user: 'ada@example.com', password: 'p@ss:w%rd' }
  const from = 'Tollgate <no-reply@example.com>'
  const host = 'mail.example.com'
  assert.deepEqual(read('smtp://ada@example.com:p%40ss:w%25rd@mail.example.com'), {
    host,
    port: 587,
    isTls: false,
    needsStartTls: true,
    login,
    from
  })
  assert.deepEqual(read('smtps://mail.example.com:2465', 'a@example.com'), {
    host,
    port: 2465,
    isTls: true,
    needsStartTls: false,
    login: null,
    from: 'a@example.com'
  })
  assert.partialDeepStrictEqual(read('smtp://ada:secret@[::1]:25'), { host: '::1', port: 25, needsStartTls: false })
})
