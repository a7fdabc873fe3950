import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type OpenApiDocument, operationsOf } from '@tollgate/contracts/openapi/document.ts'
import type { InjectOptions } from 'fastify'
import { test } from 'tap'
import { auditLog, operatorActs } from '../database/schema/audit.ts'
import { type Answer, type CallOptions, codeOf, expectStatus } from '../testing/call-control.ts'
import type { RunningControl } from '../testing/running-control.ts'
import { startControl } from '../testing/start-control.ts'

type Method = NonNullable<InjectOptions['method']>
const identityWebhookSecret = 'secret-of-the-webhook'
const webhookUrl = 'https://hooks.example.com/'

const writesOf = async ({ call }: RunningControl) => {
  const { body } = await call('GET', '/api/openapi.json')
  return operationsOf(body as OpenApiDocument).filter(({ method }) => method !== 'GET')
}

test('every write of the API has a limit', async (t) => {
  const max = 3
  const limits = { write: max, writeByServer: max }
  const control = await startControl({ identityWebhookSecret, limits })
  t.after(() => control.close())
  const forget = () => control.redis.client.flushall()
  const operator = await control.signUpOperator()
  const credentials: Record<string, CallOptions> = {
    session: { cookie: operator.cookie },
    signature: { headers: { 'stripe-signature': `t=1,v1=${'0'.repeat(64)}` } },
    webhookSecret: { headers: { authorization: `Bearer ${identityWebhookSecret}` } }
  }
  const writes = await writesOf(control)
  assert.ok(writes.length > 50, String(writes.length))
  for (const { method, path, operation } of writes) {
    await forget()
    const scheme = operation.security.flatMap(Object.keys).find((name) => name in credentials)
    const url = path.replaceAll(/\{\w+\}/g, randomUUID())
    const send = () =>
      control.call(method as Method, url, { body: { unknown: true }, ...(scheme && credentials[scheme]) })
    for (let time = 0; time < max; time++) assert.notEqual((await send()).status, 429, `${method} ${path}`)
    const answer = await send()
    assert.deepEqual([answer.status, codeOf(answer)], [429, 'too_many_requests'], `${method} ${path}`)
  }
})

test('a session’s writes in a day, and a replica’s reads in a minute, have a limit of their own', async (t) => {
  const control = await startControl({ limits: { writesPerDay: 2, read: 3 } })
  t.after(() => control.close())
  const ada = await control.signUp()
  const dismiss = (cookie: string) => control.call('POST', '/api/account/setup/dismiss', { cookie })
  const read = (cookie: string) => control.call('GET', '/api/account', { cookie })
  for (const [send, max] of [
    [dismiss, 2],
    [read, 3]
  ] as const) {
    for (let time = 0; time < max; time++) assert.equal((await send(ada.cookie)).status, 200)
    assert.equal((await send(ada.cookie)).status, 429)
    assert.equal((await send(await control.signIn(ada))).status, 200, 'another session of the same person')
  }
})

test('a write that is repeated without a change adds no row to a log', async (t) => {
  const control = await startControl({ identityWebhookSecret, confirmAboveNanos: 500e9 })
  t.after(() => control.close())
  const { call } = control
  const { orm } = control.database
  const countRows = async () => (await orm.$count(auditLog)) + (await orm.$count(operatorActs))
  const rootOperator = await control.signUpOperator()
  const ada = await control.signUp({ plan: 'team' })
  const bob = await control.signUp()
  const { cookie } = ada
  const reason = 'a test of repeated writes'
  const by = (user: { cookie: string }) => (method: Method, path: string, body?: unknown) =>
    call(method, path, { cookie: user.cookie, ...(body !== undefined && { body }) })
  const [asAda, asBob, asOperator] = [by(ada), by(bob), by(rootOperator)]
  const created = async (answer: Promise<Answer>, name: string) =>
    ((await expectStatus(answer, 201)).body as Record<string, { id: string; link: string }>)[name]!
  const newKey = async () => (await created(asAda('POST', '/api/keys', { label: 'repeated' }), 'key')).id
  const webhook = (prefix: string, as: typeof asAda) =>
    created(as('POST', prefix, { url: webhookUrl, ...(as === asOperator && { event_types: null }) }), 'endpoint')
  const invited = (email: string) => created(asAda('POST', '/api/team/seats', { email }), 'invitation')
  const ofVictim = async () => `/api/admin/accounts/${(await control.signUp()).id}`
  const ofPending = async () => {
    const ask = by(await control.signUpOperator())
    const limits = { monthly_budget_usd: 501, ends_at: null }
    const { body } = await expectStatus(ask('PATCH', await ofVictim(), { limits, reason }), 202)
    return `/api/admin/pending-acts/${(body as { pending: { id: string } }).pending.id}`
  }

  const announced = async () => {
    const body = { level: 'info', title: 'One' }
    const { body: created } = await expectStatus(asOperator('POST', '/api/admin/announcements', body), 201)
    return `/api/admin/announcements/${(created as { announcement: { id: string } }).announcement.id}`
  }

  /** Each prepares, and returns the write to repeat. */
  const repeats: Record<string, () => Promise<() => Promise<Answer>>> = {
    'PATCH /api/account': async () => () => asAda('PATCH', '/api/account', { monthly_budget_usd: 1 }),
    'PUT /api/account/budgets': async () => () =>
      asAda('PUT', '/api/account/budgets', { budgets: [{ of: 'account', window: 'day', limit_usd: 1 }] }),
    'PATCH /api/account/notifications': async () => () =>
      asAda('PATCH', '/api/account/notifications', {
        thresholds: [90, 50],
        key_thresholds: [],
        mails: { keys: false }
      }),
    'POST /api/account/setup/dismiss': async () => () => asAda('POST', '/api/account/setup/dismiss'),
    'PATCH /api/admin/accounts/{id}': async () => {
      const path = await ofVictim()
      const limits = { monthly_budget_usd: 5, ends_at: '2099-01-01T00:00:00.000Z' }
      return () => asOperator('PATCH', path, { plan: { id: 'pro', ends_at: null }, limits, reason })
    },
    'POST /api/admin/pending-acts/{id}/confirm': async () => {
      const path = await ofPending()
      return () => asOperator('POST', `${path}/confirm`, { reason })
    },
    'POST /api/admin/pending-acts/{id}/reject': async () => {
      const path = await ofPending()
      return () => asOperator('POST', `${path}/reject`, { reason })
    },
    'DELETE /api/admin/accounts/{id}': async () => {
      const path = await ofVictim()
      return () => asOperator('DELETE', path, { reason })
    },
    'POST /api/admin/accounts/{id}/suspend': async () => {
      const path = await ofVictim()
      return () => asOperator('POST', `${path}/suspend`, { reason })
    },
    'POST /api/admin/accounts/{id}/resume': async () => {
      const path = await ofVictim()
      await asOperator('POST', `${path}/suspend`, { reason })
      return () => asOperator('POST', `${path}/resume`, { reason })
    },
    'POST /api/admin/accounts/{id}/approve': async () => {
      const path = await ofVictim()
      return () => asOperator('POST', `${path}/approve`, { reason })
    },
    'POST /api/admin/accounts/{id}/signout': async () => {
      const path = await ofVictim()
      return () => asOperator('POST', `${path}/signout`, { reason })
    },
    'POST /api/admin/catalog': async () => () => asOperator('POST', '/api/admin/catalog', { version: 1, reason }),
    'POST /api/admin/catalog/diff': async () => () => asOperator('POST', '/api/admin/catalog/diff', { version: 1 }),
    'PATCH /api/admin/announcements/{id}': async () => {
      const path = await announced()
      return () => asOperator('PATCH', path, { level: 'outage', title: 'Two', ends_at: '2099-01-01T00:00:00.000Z' })
    },
    'DELETE /api/admin/announcements/{id}': async () => {
      const path = await announced()
      return () => asOperator('DELETE', path)
    },
    'POST /api/admin/keys/find': async () => {
      const id = await newKey()
      return () => asOperator('POST', '/api/admin/keys/find', { id })
    },
    'POST /api/admin/keys/revoke': async () => {
      const id = await newKey()
      return () => asOperator('POST', '/api/admin/keys/revoke', { id, reason })
    },
    'POST /api/admin/events/seen': async () => () => asOperator('POST', '/api/admin/events/seen', { id: randomUUID() }),
    'POST /api/events/seen': async () => () => asAda('POST', '/api/events/seen', { id: randomUUID() }),
    'POST /api/auth/register': async () => () =>
      call('POST', '/api/auth/register', { body: { email: ada.email, password: ada.password, name: 'Ada' } }),
    'POST /api/auth/forgot-password': async () => () =>
      call('POST', '/api/auth/forgot-password', { body: { email: ada.email } }),
    'POST /api/auth/resend-confirmation': async () => () =>
      call('POST', '/api/auth/resend-confirmation', { body: { email: ada.email } }),
    'POST /api/auth/signout': async () => {
      const own = await control.signIn(bob)
      return () => call('POST', '/api/auth/signout', { cookie: own })
    },
    'POST /api/auth/reauthenticate': async () => () =>
      asAda('POST', '/api/auth/reauthenticate', { password: ada.password }),
    'POST /api/billing/refresh': async () => () => asAda('POST', '/api/billing/refresh'),
    'PATCH /api/auth/me': async () => () => asAda('PATCH', '/api/auth/me', { name: 'Ada Byron' }),
    'DELETE /api/auth/me': async () => {
      const user = await control.signUp()
      return () => call('DELETE', '/api/auth/me', { cookie: user.cookie })
    },
    'DELETE /api/auth/sessions/{id}': async () => {
      await control.signIn(ada)
      const { sessions } = (await asAda('GET', '/api/auth/sessions')).body as { sessions: Array<{ id: string }> }
      return () => asAda('DELETE', `/api/auth/sessions/${sessions.at(-1)!.id}`)
    },
    'POST /api/auth/webhook': async () => {
      const body = { type: 'UPDATE', schema: 'auth', table: 'users', record: { id: ada.id }, old_record: null }
      return () =>
        call('POST', '/api/auth/webhook', { headers: { authorization: `Bearer ${identityWebhookSecret}` }, body })
    },
    'PATCH /api/keys/{id}': async () => {
      const id = await newKey()
      return () => asAda('PATCH', `/api/keys/${id}`, { label: 'changed', monthly_budget_usd: 3 })
    },
    'POST /api/keys/{id}/top-up': async () => {
      const id = await newKey()
      await asAda('PATCH', `/api/keys/${id}`, { budgets: [{ window: 'lifetime', limit_usd: 1 }] })
      const headers = { 'idempotency-key': 'the-same' }
      return () => call('POST', `/api/keys/${id}/top-up`, { cookie, headers, body: { add_usd: 1 } })
    },
    'POST /api/keys/{id}/end-grace': async () => {
      const id = await newKey()
      await asAda('POST', `/api/keys/${id}/rotate`, { grace_seconds: 1000 })
      return () => asAda('POST', `/api/keys/${id}/end-grace`)
    },
    'DELETE /api/keys/{id}': async () => {
      const id = await newKey()
      return () => asAda('DELETE', `/api/keys/${id}`)
    },
    'DELETE /api/team/seats/{id}': async () => {
      const { id } = await invited('carol@example.com')
      return () => asAda('DELETE', `/api/team/seats/${id}`)
    },
    'POST /api/team/invitations/{token}/accept': async () => {
      const { link } = await invited(bob.email)
      return () => asBob('POST', `/api/team/invitations/${link.split('/').at(-1)}/accept`)
    },
    ...Object.fromEntries(
      (
        [
          ['/api/webhooks', asAda],
          ['/api/admin/webhooks', asOperator]
        ] as const
      ).flatMap(([prefix, as]) => [
        [
          `PATCH ${prefix}/{id}`,
          async () => {
            const { id } = await webhook(prefix, as)
            const change = { url: 'https://other.example.com/', description: 'other', enabled: false }
            return () => as('PATCH', `${prefix}/${id}`, change)
          }
        ],
        [
          `DELETE ${prefix}/{id}`,
          async () => {
            const { id } = await webhook(prefix, as)
            return () => as('DELETE', `${prefix}/${id}`)
          }
        ]
      ])
    )
  }
  /** Their success is always a change: something new, a spent link or code, or a message that is sent. */
  const alwaysChanges = new Set([
    'POST /api/admin/accounts/{id}/adjustments',
    'POST /api/admin/announcements',
    'POST /api/admin/projection/rebuild',
    'POST /api/auth/confirm',
    'POST /api/auth/login',
    'POST /api/auth/login/code',
    'POST /api/auth/reset-password',
    'POST /api/auth/change-password',
    'POST /api/auth/second-factor',
    'POST /api/auth/second-factor/confirm',
    'POST /api/auth/second-factor/recovery-codes',
    'DELETE /api/auth/second-factor',
    'POST /api/billing/checkout',
    'POST /api/billing/webhook',
    'POST /api/keys',
    'POST /api/keys/{id}/rotate',
    'POST /api/playground/token',
    'POST /api/team/seats',
    ...['/api/webhooks', '/api/admin/webhooks'].flatMap((prefix) => [
      `POST ${prefix}`,
      `POST ${prefix}/{id}/rotate`,
      `POST ${prefix}/{id}/test`,
      `POST ${prefix}/{id}/deliveries/{delivery_id}/redeliver`
    ])
  ])

  const writes = (await writesOf(control)).map(({ method, path }) => `${method} ${path}`)
  await t.test('every write is repeated here, or always changes something', async () => {
    assert.deepEqual([...Object.keys(repeats), ...alwaysChanges].toSorted(), writes.toSorted())
  })
  assert.ok(cookie.length > 0)
  for (const [name, prepare] of Object.entries(repeats)) {
    await t.test(name, async () => {
      const send = await prepare()
      const first = await send()
      assert.ok(first.status < 300 || name.endsWith('/seen'), JSON.stringify(first.body))
      const before = await countRows()
      await send()
      assert.equal(await countRows(), before)
    })
  }
})
