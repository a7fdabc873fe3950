import assert from 'node:assert/strict'
import { test } from 'tap'
import { addSubscriber, startTestAccount } from '../test-account.ts'

test('a customer can be created, read, changed and listed by email', async (t) => {
  const { stripe } = await startTestAccount(t)
  const made = await stripe.customers.create({
    email: 'Ada@example.com',
    name: 'Ada',
    metadata: { user_id: 'u1', a: 'b' }
  })
  assert.partialDeepStrictEqual(made, {
    object: 'customer',
    livemode: false,
    balance: 0,
    metadata: { user_id: 'u1', a: 'b' }
  })
  const changed = await stripe.customers.update(made.id, { name: '', metadata: { a: '', c: 'd' } })
  assert.partialDeepStrictEqual(changed, { name: null, email: 'Ada@example.com' })
  assert.deepEqual(
    changed.metadata,
    { user_id: 'u1', c: 'd' },
    'metadata is merged, and an empty value removes its key'
  )
  assert.equal((await stripe.customers.retrieve(made.id)).id, made.id)
  assert.equal((await stripe.customers.list({ email: 'Ada@example.com' })).data.length, 1)
  assert.equal(
    (await stripe.customers.list({ email: 'ada@example.com' })).data.length,
    0,
    'addresses are case-sensitive'
  )
  assert.equal((await stripe.customers.list({ created: { gt: made.created } })).data.length, 0)
  assert.equal((await stripe.customers.list({ created: { gte: made.created, lte: made.created } })).data.length, 1)
  assert.deepEqual((await stripe.customers.update(made.id, { metadata: '' })).metadata, {})
})

test('a deleted customer has no subscription and cannot be used, but can be read', async (t) => {
  const account = await startTestAccount(t)
  const { stripe } = account
  const { customer, subscription } = await addSubscriber(account)
  assert.partialDeepStrictEqual(await stripe.customers.del(customer.id), { id: customer.id, deleted: true })
  assert.deepEqual(await stripe.customers.retrieve(customer.id).then(({ id, deleted }) => ({ id, deleted })), {
    id: customer.id,
    deleted: true
  })
  assert.equal((await stripe.subscriptions.retrieve(subscription.id)).status, 'canceled')
  const ended = await stripe.subscriptions.list({ customer: customer.id, status: 'all' })
  assert.deepEqual(
    ended.data.map(({ id }) => id),
    [subscription.id]
  )
  assert.deepEqual((await stripe.customers.list()).data, [])
  await assert.rejects(stripe.customers.update(customer.id, {}), { code: 'resource_missing' })
  await assert.rejects(stripe.billingPortal.sessions.create({ customer: customer.id }), { code: 'resource_missing' })
  assert.equal((await stripe.events.list({ type: 'customer.deleted' })).data.length, 1)
})

test('customers can be searched by metadata, email and name', async (t) => {
  const { stripe } = await startTestAccount(t)
  const ada = await stripe.customers.create({
    email: 'ada@example.com',
    name: "Ada O'Hara",
    metadata: { user_id: 'u1' }
  })
  const bob = await stripe.customers.create({ email: 'bob@example.com', metadata: { user_id: 'u2', 'a key': 'x"y' } })
  const ids = async (query: string) => (await stripe.customers.search({ query })).data.map(({ id }) => id)
  assert.deepEqual(await ids(`metadata['user_id']:'u1'`), [ada.id])
  assert.deepEqual(await ids(`metadata["user_id"]:"u2" AND email:"bob@example.com"`), [bob.id])
  assert.deepEqual(await ids(`metadata['user_id']:'u1' OR metadata['user_id']:'u2'`), [bob.id, ada.id])
  assert.deepEqual(await ids(`name:'Ada O\\'Hara'`), [ada.id])
  assert.deepEqual(await ids(`metadata['a key']:"x\\"y"`), [bob.id])
  assert.deepEqual(await ids(`email~'EXAMPLE'`), [bob.id, ada.id])
  assert.deepEqual(await ids(`email:'example'`), [])
  const page = await stripe.customers.search({ query: `email~'example'`, limit: 1 })
  assert.partialDeepStrictEqual(page, { object: 'search_result', has_more: true })
  const next = await stripe.customers.search({ query: `email~'example'`, limit: 1, page: page.next_page ?? '' })
  assert.partialDeepStrictEqual(next, { has_more: false, data: [{ id: ada.id }] })
  for (const query of ['x', `email:'a`, `shoe:'1'`, `email:'a' AND`, `email:'a' AND name:'b' OR name:'c'`]) {
    await assert.rejects(stripe.customers.search({ query }), { message: /search query/, param: 'query' }, query)
  }
})
