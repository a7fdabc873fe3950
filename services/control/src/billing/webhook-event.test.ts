import assert from 'node:assert/strict'
import fc from 'fast-check'
import Stripe from 'stripe'
import { test } from 'tap'
import { isSignature, readEvent } from './webhook-event.ts'

const secret = 'whsec_theSecretOfTheEndpoint'
const other = 'whsec_theSecretThatComesNext'
const now = new Date('2026-11-21T12:00:00Z')
const seconds = now.getTime() / 1000
const sign = (payload: string, options: { secret?: string; timestamp?: number } = {}) =>
  Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp: seconds, ...options })
const read = (body: string | Buffer, signature: string, secrets = [secret]) =>
  readEvent(Buffer.from(body), signature, secrets, now)

const event = (changes: Record<string, unknown> = {}) => ({
  id: 'evt_1',
  object: 'event',
  type: 'customer.subscription.updated',
  data: { object: { id: 'sub_1', object: 'subscription', customer: 'cus_1', status: 'active' } },
  ...changes
})
const body = JSON.stringify(event(), null, 2)
const ours = { ours: { id: 'evt_1', type: 'customer.subscription.updated', customerId: 'cus_1', invoiceId: null } }

test('a signed event is read: its id, type and customer only', async () => {
  assert.deepEqual(read(body, sign(body)), ours)
})

test('the invoice of a failed payment is read, too', async () => {
  const failed = JSON.stringify(
    event({ type: 'invoice.payment_failed', data: { object: { id: 'in_1', customer: 'cus_1' } } })
  )
  const result = read(failed, sign(failed))
  assert.deepEqual(result, {
    ours: { id: 'evt_1', type: 'invoice.payment_failed', customerId: 'cus_1', invoiceId: 'in_1' }
  })
})

test('an event with another signature is refused', async () => {
  assert.equal(read(body, sign(body, { secret: other })), null, 'wrong secret')
  assert.equal(read(body.replace('cus_1', 'cus_2'), sign(body)), null, 'altered body')
  assert.equal(read(JSON.stringify(JSON.parse(body)), sign(body)), null, 're-encoded JSON')
  assert.equal(read(`${body}\n`, sign(body)), null, 'an additional line')
  assert.equal(read('', sign(body)), null, 'no body')
  assert.equal(read(body, sign(body).replace('v1=', 'v0=')), null, 'another scheme')
  assert.equal(read(body, sign(body), [other]), null)
})

test('a signature is valid for five minutes', async () => {
  assert.deepEqual(read(body, sign(body, { timestamp: seconds - 300 })), ours)
  assert.equal(read(body, sign(body, { timestamp: seconds - 301 })), null)
  const moved = sign(body, { timestamp: seconds - 3000 }).replace(/t=\d+/, `t=${seconds}`)
  assert.equal(read(body, moved), null, 'the time is signed, too')
})

test('while a secret is replaced, both are accepted', async () => {
  assert.deepEqual(read(body, sign(body), [other, secret]), ours)
  assert.deepEqual(read(body, sign(body, { secret: other }), [other, secret]), ours)
  const both = `${sign(body)},${sign(body, { secret: other }).split(',')[1]}`
  assert.ok(isSignature(both))
  for (const one of [secret, other]) assert.deepEqual(read(body, both, [one]), ours)
})

test('a signed event that cannot change a plan is ignored', async () => {
  for (const one of [
    event({ type: 'invoice.paid' }),
    event({ type: 'charge.refunded' }),
    event({ data: { object: { id: 'cs_1', customer: null } } }),
    event({ data: { object: {} } }),
    event({ data: {} }),
    event({ id: 7 }),
    {},
    []
  ]) {
    const payload = JSON.stringify(one)
    assert.deepEqual(read(payload, sign(payload)), { ours: null }, payload)
  }
  const expanded = JSON.stringify(event({ data: { object: { customer: { id: 'cus_1', object: 'customer' } } } }))
  assert.deepEqual(read(expanded, sign(expanded)), ours)
})

test('a signed body that is not an event is refused', async () => {
  for (const payload of ['{', 'text', '\ufeff{}', 'null']) assert.equal(read(payload, sign(payload)), null, payload)
})

test('headers that are not a signature are refused before the body is read', async () => {
  assert.ok(isSignature(sign(body)))
  for (const header of [
    undefined,
    '',
    'v1=',
    't=1',
    't=,v1=',
    `t=1,v1=${'a'.repeat(63)}`,
    `t=1,v1=${'ä'.repeat(64)}`,
    `v1=${'a'.repeat(64)}`,
    `t=1,v0=${'a'.repeat(64)}`,
    ['t=1'],
    'x'.repeat(5000)
  ]) {
    assert.equal(isSignature(header), false, String(header).slice(0, 80))
  }
})

test('no body and no header makes it throw', async () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.string({ maxLength: 120 }), (bytes, header) => {
      assert.equal(read(Buffer.from(bytes), header), null)
      assert.equal(read(Buffer.from(bytes), `t=${seconds},v1=${header}`), null)
    })
  )
})
