import assert from 'node:assert/strict'
import { checkMailFrom } from '@tollgate/control/mail/smtp-settings.ts'
import { test } from 'tap'
import { controlEnv, productsOf } from './child-env.ts'
import { chooseEmbedded, type Variables } from './embedded.ts'
import { defaultPorts, findAddresses } from './ports.ts'

test('each plan on sale is a product with the catalog’s prices', async () => {
  const products = productsOf({})
  assert.deepEqual(
    products.map(({ id, name }) => [id, name]),
    [
      ['prod_pro', 'Pro'],
      ['prod_team', 'Team']
    ]
  )
  assert.deepEqual(products[0]!.prices, [
    { id: 'price_pro_monthly', unit_amount: 2000, currency: 'usd', interval: 'month' },
    { id: 'price_pro_yearly', unit_amount: 20_000, currency: 'usd', interval: 'year' }
  ])
})

test('the error names a missing catalog', async () => {
  assert.throws(() => productsOf({ CATALOG_FILE: '/nonexistent/catalog.yaml' }), /\/nonexistent\/catalog\.yaml/)
})

function mailOf(env: Variables): Array<string | undefined> {
  const embedded = chooseEmbedded(env)
  const addresses = findAddresses(env, embedded, defaultPorts, { controlPorts: [], gatewayPorts: [] }, 'data')
  const secrets = {
    anonKey: 'a',
    serviceRoleKey: 'b',
    identityWebhookSecret: 'c',
    stripeKey: 'd',
    webhookSecret: 'e',
    secretsKey: 'f'
  }
  const options = { env, embedded, addresses, ports: defaultPorts, dataDir: 'data', secrets }
  const { SMTP_URL, MAIL_FROM } = controlEnv(options, { port: 3000, adminPort: 9091 })
  return [SMTP_URL, MAIL_FROM]
}

test('control’s mails go to the mailbox, unless a person sets a mail server', async () => {
  const sender = 'Tollgate <no-reply@mails.test>'
  assert.deepEqual(mailOf({}), ['smtp://127.0.0.1:4026', sender])
  for (const [name, from] of [
    ['Acme & Söhne <AI>', 'Acme & Söhne AI <no-reply@mails.test>'],
    ['<>', 'no-reply@mails.test']
  ] as const) {
    const [, named] = mailOf({ BRAND_NAME: name })
    assert.equal(named, from)
    assert.equal(checkMailFrom({ SMTP_URL: '', MAIL_FROM: from }), null)
  }
  assert.deepEqual(mailOf({ SMTP_URL: '', MAIL_FROM: 'me@example.com' }), ['smtp://127.0.0.1:4026', 'me@example.com'])
  const own = { SMTP_URL: 'smtps://mail.example.com', MAIL_FROM: 'me@example.com' }
  assert.deepEqual(mailOf(own), [own.SMTP_URL, own.MAIL_FROM])
  assert.deepEqual(mailOf({ SUPABASE_URL: 'https://project.supabase.co' }), [undefined, undefined], 'no mailbox runs')
})
