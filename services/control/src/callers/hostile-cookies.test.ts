import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { propertyRuns } from '@tollgate/sandbox/property-runs.ts'
import fc from 'fast-check'
import { test } from 'tap'
import { createPendingSignIns, newVisit, writeVisit } from '../auth/provider-cookies.ts'
import type { Answer } from '../testing/call-control.ts'
import { serviceRoleKey } from '../testing/control-options.ts'
import { startControl } from '../testing/start-control.ts'
import { newSessionToken } from './session-cookie.ts'

/** What HTTP allows in a cookie's value, and bytes beyond ASCII, which Node passes on as Latin-1. */
const hostileText = fc.string({
  unit: fc.integer({ min: 0x21, max: 0xff }).map((code) => String.fromCharCode(code)),
  maxLength: 60
})

/** A value with some characters replaced, so that its length and its form stay. */
const mutated = (value: string) =>
  fc
    .array(fc.tuple(fc.nat(value.length - 1), fc.integer({ min: 0x80, max: 0xff })), { minLength: 1, maxLength: 4 })
    .map((changes) => {
      const characters = [...value]
      for (const [at, code] of changes) characters[at] = String.fromCharCode(code)
      return characters.join('')
    })

test('no value of a cookie or of a signed header makes control fail', async (t) => {
  const control = await startControl({ identityWebhookSecret: 'secret-of-the-webhook' })
  t.after(() => control.close())
  const { call } = control
  const { email, password } = await control.signUp()
  const pending = { userId: randomUUID(), email, checkedAt: new Date().toISOString() }
  const visit = newVisit('/dashboard')
  const login = { email, password: `not ${password}` }

  const places: Array<[name: string, valid: string, send: (value: string) => Promise<Answer>]> = [
    ['svc_session', newSessionToken(), (value) => call('GET', '/api/auth/me', { cookie: `svc_session=${value}` })],
    [
      'svc_browser',
      newSessionToken(),
      (value) => call('POST', '/api/auth/login', { cookie: `svc_browser=${value}`, body: login })
    ],
    [
      'svc_pending',
      createPendingSignIns(serviceRoleKey).write(pending, control.now()),
      (value) => call('POST', '/api/auth/login/code', { cookie: `svc_pending=${value}`, body: { code: '123456' } })
    ],
    [
      'svc_provider',
      writeVisit(visit),
      (value) => call('GET', `/api/auth/callback?state=${visit.state}`, { cookie: `svc_provider=${value}` })
    ],
    [
      'a management key',
      `Bearer tgm_${'x'.repeat(49)}`,
      (value) => call('GET', '/api/keys', { headers: { authorization: value } })
    ],
    [
      'the identity provider’s secret',
      'Bearer secret-of-the-webhook',
      (value) => call('POST', '/api/auth/webhook', { headers: { authorization: value }, body: {} })
    ],
    [
      'the payment provider’s signature',
      `t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}`,
      (value) => call('POST', '/api/billing/webhook', { headers: { 'stripe-signature': value }, body: {} })
    ]
  ]
  for (const [name, valid, send] of places) {
    await t.test(name, async () => {
      await fc.assert(
        fc.asyncProperty(fc.oneof(mutated(valid), hostileText), async (value) => {
          const { status } = await send(value)
          assert.ok(status < 500, `${status} for ${JSON.stringify(value)}`)
        }),
        propertyRuns(40)
      )
    })
  }

  await t.test('a pending sign-in with a signature beyond ASCII is refused like any other forgery', async () => {
    const [text] = places[2]![1].split('.')
    const cookie = `svc_pending=${text}.${'é'.repeat(43)}`
    assert.equal((await call('POST', '/api/auth/login/code', { cookie, body: { code: '123456' } })).status, 401)
  })
})
