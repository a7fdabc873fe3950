import t from 'tap'
import { addSubscriber, startTestAccount } from '../test-account.ts'

t.test('a customer can be created, read, changed and listed by email', async (t) => {
  const { stripe } = await startTestAccount(t)
  const made = await stripe.customers.create({
    email: 'Ada@example.com',
    name: 'Ada',
    metadata: { user_id: 'u1', a: 'b' }
  })
  t.match(made, { object: 'customer', livemode: false, balance: 0, metadata: { user_id: 'u1', a: 'b' } })
  const changed = await stripe.customers.update(made.id, { name: '', metadata: { a: '', c: 'd' } })
  t.match(changed, { name: null, email: 'Ada@example.com' })
  t.same(changed.metadata, { user_id: 'u1', c: 'd' }, 'metadata is merged, and an empty value removes its key')
  t.same((await stripe.customers.retrieve(made.id)).id, made.id)
  t.equal((await stripe.customers.list({ email: 'Ada@example.com' })).data.length, 1)
  t.equal((await stripe.customers.list({ email: 'ada@example.com' })).data.length, 0, 'addresses are case-sensitive')
  t.equal((await stripe.customers.list({ created: { gt: made.created } })).data.length, 0)
  t.equal((await stripe.customers.list({ created: { gte: made.created, lte: made.created } })).data.length, 1)
  t.same((await stripe.customers.update(made.id, { metadata: '' })).metadata, {})
})

t.test('a deleted customer has no subscription and cannot be used, but can be read', async (t) => {
  const account = await startTestAccount(t)
  const { stripe } = account
  const { customer, subscription } = await addSubscriber(account)
  t.match(await stripe.customers.del(customer.id), { id: customer.id, deleted: true })
  t.same(await stripe.customers.retrieve(customer.id).then(({ id, deleted }) => ({ id, deleted })), {
    id: customer.id,
    deleted: true
  })
  t.equal((await stripe.subscriptions.retrieve(subscription.id)).status, 'canceled')
  const ended = await stripe.subscriptions.list({ customer: customer.id, status: 'all' })
  t.same(
    ended.data.map(({ id }) => id),
    [subscription.id]
  )
  t.same((await stripe.customers.list()).data, [])
  await t.rejects(stripe.customers.update(customer.id, {}), { code: 'resource_missing' })
  await t.rejects(stripe.billingPortal.sessions.create({ customer: customer.id }), { code: 'resource_missing' })
  t.ok((await stripe.events.list({ type: 'customer.deleted' })).data.length === 1)
})

t.test('customers can be searched by metadata, email and name', async (t) => {
  const { stripe } = await startTestAccount(t)
  const ada = await stripe.customers.create({
    email: 'ada@example.com',
    name: "Ada O'Hara",
    metadata: { user_id: 'u1' }
  })
  const bob = await stripe.customers.create({ email: 'bob@example.com', metadata: { user_id: 'u2', 'a key': 'x"y' } })
  const ids = async (query: string) => (await stripe.customers.search({ query })).data.map(({ id }) => id)
  t.same(await ids(`metadata['user_id']:'u1'`), [ada.id])
  t.same(await ids(`metadata["user_id"]:"u2" AND email:"bob@example.com"`), [bob.id])
  t.same(await ids(`metadata['user_id']:'u1' OR metadata['user_id']:'u2'`), [bob.id, ada.id])
  t.same(await ids(`name:'Ada O\\'Hara'`), [ada.id])
  t.same(await ids(`metadata['a key']:"x\\"y"`), [bob.id])
  t.same(await ids(`email~'EXAMPLE'`), [bob.id, ada.id])
  t.same(await ids(`email:'example'`), [])
  const page = await stripe.customers.search({ query: `email~'example'`, limit: 1 })
  t.match(page, { object: 'search_result', has_more: true })
  const next = await stripe.customers.search({ query: `email~'example'`, limit: 1, page: page.next_page ?? '' })
  t.match(next, { has_more: false, data: [{ id: ada.id }] })
  for (const query of ['x', `email:'a`, `shoe:'1'`, `email:'a' AND`, `email:'a' AND name:'b' OR name:'c'`]) {
    await t.rejects(stripe.customers.search({ query }), { message: /search query/, param: 'query' }, query)
  }
})
