import assert from 'node:assert/strict'
import type { Receipt } from '@tollgate/contracts/requests/receipt.ts'
import { accountShard } from '@tollgate/state/keyspace/names.ts'
import { readReceipts } from '@tollgate/state/receipts/receipts.ts'
import { readSpend } from '@tollgate/state/spend/spend.ts'
import t from 'tap'
import { chatOf, post } from '../testing/client.ts'
import { callsOf, type FakeUpstream, startFakeUpstream } from '../testing/fake-upstream.ts'
import { startGateway, type TestGateway, testCatalog } from '../testing/start-gateway.ts'
import type { SeededKey } from '../testing/test-keys.ts'
import { viewOf, withoutModels } from './live-catalog.ts'

const { small, large, renamed, ...others } = testCatalog.models
const catalog = {
  ...testCatalog,
  models: {
    small: { ...small!, aliases: ['small-2026', 'tests/small'] },
    large: { ...large!, aliases: ['tests/large'] },
    renamed: { ...renamed!, aliases: ['known-as'] },
    ...others
  }
}

t.test('a name means one model: its id, or the model of the alias, and only with its kind', async () => {
  const view = viewOf(1, { ...catalog, models: { ...catalog.models, 'tests/large': small! } })
  for (const [name, id] of [
    ['small', 'small'],
    ['small-2026', 'small'],
    ['tests/small', 'small'],
    ['tests/large', 'tests/large'],
    ['SMALL-2026', null],
    ['constructor', null],
    ['', null]
  ] as const) {
    assert.equal(view.find(name)?.id ?? null, id, name)
    assert.equal(view.model(name, 'chat'), id === null ? null : view.find(id)!.model, name)
    assert.equal(view.model(name, 'embedding'), null, name)
    assert.equal(withoutModels(view, new Set(['small'])).find(name)?.id ?? null, id === 'small' ? null : id)
  }
})

let [upstream, gateway] = [] as unknown as [FakeUpstream, TestGateway]
t.before(async () => {
  upstream = await startFakeUpstream()
  upstream.answer(({ response }) => {
    response.setHeader('content-type', 'application/json')
    response.end('{"model":"m","choices":[],"usage":{"prompt_tokens":30,"completion_tokens":5}}')
  })
  gateway = await startGateway(upstream.url, { catalog })
})
t.teardown(async () => {
  await gateway.close()
  await upstream.close()
})

async function receiptsOf({ account }: SeededKey): Promise<Receipt[]> {
  await gateway.settled()
  const { entries } = await readReceipts(gateway.control, accountShard(account), 1000)
  return entries.flatMap(({ receipts }) => receipts).filter((receipt) => receipt.account === account)
}

const ask = async ({ secret }: SeededKey, model: string, at: Pick<TestGateway, 'url'> = gateway) => {
  const answer = await post(at, secret, '/chat/completions', chatOf(model, { max_tokens: 100 }))
  return { status: answer.status, text: await answer.text() }
}

t.test('an alias is answered, costs what its model costs from one budget, and its receipt has both names', async () => {
  const key = await gateway.seedKey()
  const answers = await Promise.all(['small', 'small-2026', 'tests/small'].map((name) => ask(key, name)))
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  const receipts = await receiptsOf(key)
  assert.deepEqual(new Set(receipts.map(({ model }) => model)), new Set(['small']))
  assert.deepEqual(receipts.map(({ askedModel }) => String(askedModel)).sort(), ['null', 'small-2026', 'tests/small'])
  assert.equal(new Set(receipts.map(({ costNanos }) => costNanos)).size, 1)
  const month = Number(new Date().toISOString().slice(0, 7).replace('-', ''))
  const spent = (await readSpend(gateway.control, key.account, month))!.settled
  assert.equal(spent, 3 * receipts[0]!.costNanos)
  await gateway.changeKey(key, { monthlyBudgetNanos: spent })
  for (const name of ['small', 'small-2026']) assert.equal((await ask(key, name)).status, 402, name)
  assert.match(await gateway.metrics(), /tollgate_\w+\{[^}]*model="small"/)
  assert.doesNotMatch(await gateway.metrics(), /model="small-2026"/)
})

t.test(
  'lists of models name the model: an alias of a listed one works, and of another one does not exist',
  async () => {
    const free = await gateway.seedKey({ account: { plan: 'free' } })
    const limited = await gateway.seedKey({ key: { models: ['small'] } })
    for (const key of [free, limited]) {
      assert.equal((await ask(key, 'tests/small')).status, 200)
      const refused = await ask(key, 'tests/large')
      assert.deepEqual(refused, await ask(key, 'none'))
      assert.equal(refused.status, 403)
    }
    assert.equal((await ask(limited, 'known-as')).status, 403)
  }
)

t.test('the receipt of a refusal tells what an alias means only if the key may use the model', async () => {
  const second = await startGateway(upstream.url, { beside: gateway })
  const key = await gateway.seedKey({ account: { plan: 'free' }, key: { monthlyBudgetNanos: 1 } })
  assert.equal((await ask(key, 'tests/large', second)).status, 403)
  assert.equal((await ask(key, 'tests/small', second)).status, 402)
  // It writes the receipts of refusals at its end.
  await second.close()
  const receipts = (await receiptsOf(key)).map(({ status, model, askedModel }) => [status, model, askedModel])
  assert.deepEqual(receipts.sort(), [
    [402, 'small', 'tests/small'],
    [403, 'tests/large', null]
  ])
})

t.test(
  'the provider gets its own name of the model, and the client reads the name that it asked for in errors',
  async () => {
    upstream.answer(({ response, body }) => {
      const { model } = JSON.parse(body) as { model: string }
      response.statusCode = 400
      response.end(JSON.stringify({ error: { message: `${model} is too small`, type: 'invalid_request_error' } }))
    })
    const { text } = await ask(await gateway.seedKey(), 'known-as')
    assert.match(text, /"known-as is too small"/)
    assert.match(callsOf(upstream.received).at(-1)!.body, /"model":"name-at-the-upstream"/)
  }
)

t.test('an alias at the endpoint of another kind is answered with its own endpoints', async () => {
  const key = await gateway.seedKey()
  const refused = await post(gateway, key.secret, '/embeddings', { model: 'small-2026', input: 'x' })
  assert.match(
    await refused.text(),
    /The model small-2026 is not offered at this endpoint. Send the request to \/v1\/chat/
  )
})

t.test('GET /v1/models lists aliases after their model, and says what they mean', async () => {
  const { secret } = await gateway.seedKey({ key: { models: ['small'] } })
  const get = async (path: string) => {
    const answer = await fetch(`${gateway.url}/v1/models${path}`, { headers: { authorization: `Bearer ${secret}` } })
    return (await answer.json()) as { data: Array<Record<string, unknown>> }
  }
  const names = (await get('')).data.map(({ id, alias_of }) => [id, alias_of])
  assert.deepEqual(names, [
    ['small', undefined],
    ['small-2026', 'small'],
    ['tests/small', 'small']
  ])
  assert.partialDeepStrictEqual(await get('/tests/small'), { id: 'tests/small', alias_of: 'small', object: 'model' })
})
