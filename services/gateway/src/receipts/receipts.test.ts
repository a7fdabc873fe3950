import assert from 'node:assert/strict'
import Anthropic from '@anthropic-ai/sdk'
import type { Receipt } from '@tollgate/contracts/requests/receipt.ts'
import { accountShard } from '@tollgate/state/keyspace/names.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { droppedReceipts, readReceipts } from '@tollgate/state/receipts/receipts.ts'
import { readSpend } from '@tollgate/state/spend/spend.ts'
import OpenAI from 'openai'
import t from 'tap'
import type { KnownKey } from '../authenticate/known-key.ts'
import { chatOf, outcomeOf, post } from '../testing/client.ts'
import { type FakeUpstream, plainAnswer, plainStream, startFakeUpstream } from '../testing/fake-upstream.ts'
import { answerMessage, startMessages } from '../testing/message-answers.ts'
import { startGateway, type TestGateway } from '../testing/start-gateway.ts'
import type { SeededKey } from '../testing/test-keys.ts'
import { createRefusalLog } from './refusal-log.ts'

let [upstream, gateway] = [] as unknown as [FakeUpstream, TestGateway]
t.before(async () => {
  upstream = await startFakeUpstream()
  gateway = await startGateway(upstream.url)
})
t.teardown(async () => {
  await gateway.close()
  await upstream.close()
})

const usage = { prompt_tokens: 300, completion_tokens: 101, prompt_tokens_details: { cached_tokens: 20 } }
/** 280 and 20 tokens of the prompt, 101 of the output. */
const costNanos = 280 * 150 + 20 * 75 + 101 * 600
const choices = [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }]
const answerOf = (members: object = {}) => JSON.stringify({ model: 'small-2026', choices, usage, ...members })
const chunkOf = (members: object) => `data: ${JSON.stringify({ model: 'small-2026', ...members })}\n\n`
const streamed =
  chunkOf({ choices: [{ index: 0, delta: { role: 'assistant', content: 'Hi' } }] }) +
  chunkOf({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }) +
  chunkOf({ choices: [], usage }) +
  'data: [DONE]\n\n'

function answer(...pieces: string[]): void {
  upstream.answer(async ({ response, body }) => {
    const isStream = body.includes('"stream":true')
    response.setHeader('content-type', isStream ? 'text/event-stream' : 'application/json')
    for (const piece of pieces) {
      response.write(piece)
      await new Promise(setImmediate)
    }
    response.end()
  })
}

async function receiptsOf({ account }: SeededKey): Promise<Receipt[]> {
  await gateway.settled()
  const { entries, malformed } = await readReceipts(gateway.control, accountShard(account), 1000)
  assert.deepEqual(malformed, [])
  return entries.flatMap(({ receipts }) => receipts).filter((receipt) => receipt.account === account)
}

async function spentOf({ account }: SeededKey): Promise<number> {
  const month = Number(new Date().toISOString().slice(0, 7).replace('-', ''))
  return (await readSpend(gateway.control, account, month))!.settled
}

t.test('a receipt says what was asked, served and charged, and the answer has the same cost', async () => {
  const key = await gateway.seedKey({ key: { monthlyBudgetNanos: 900_000_000 } })
  for (const pieces of [[answerOf()], answerOf().match(/.{1,40}/g)!]) {
    answer(...pieces)
    const response = await post(gateway, key.secret, '/chat/completions', chatOf('small', { max_tokens: 500 }))
    assert.equal(response.headers.get('x-tollgate-cost'), '0.0001041')
    assert.equal(await response.text(), answerOf())
  }
  const [one, other, ...more] = await receiptsOf(key)
  assert.deepEqual(more, [])
  assert.partialDeepStrictEqual(one, {
    kind: 'settled',
    account: key.account,
    key: key.id,
    count: 1,
    endpoint: '/v1/chat/completions',
    model: 'small',
    answeredModel: 'small-2026',
    isStream: false,
    upstream: 'test',
    attempts: 1,
    status: 200,
    code: null,
    isEstimated: false,
    clientGone: false,
    costNanos,
    promptTokens: 300,
    cachedTokens: 20,
    completionTokens: 101,
    grantedTokens: 500,
    tier: null,
    address: '127.0.0.1',
    rates: '{"inputPicos":150000,"cachedInputPicos":75000,"outputPicos":600000,"reasoningPicos":600000}'
  })
  assert.ok(one!.heldNanos > costNanos && one!.durationMs! >= one!.firstByteMs!)
  assert.notEqual(one!.id, other!.id)
  assert.equal(await spentOf(key), 2 * costNanos)
})

t.test('a receipt names each call that failed, with its status and its times', async () => {
  const key = await gateway.seedKey()
  const ask = async () => {
    const response = await post(gateway, key.secret, '/chat/completions', chatOf('small'))
    await response.text()
    return response.status
  }
  let calls = 0
  upstream.answer(({ response }) => {
    calls++
    if (calls === 1) response.writeHead(500).end('{}')
    else if (calls === 2) response.socket!.destroy()
    else response.writeHead(200, { 'content-type': 'application/json' }).end(answerOf())
  })
  assert.equal(await ask(), 200)
  upstream.answer(({ response }) => response.writeHead(500).end('{}'))
  assert.equal(await ask(), 502)
  const [answered, failed] = await receiptsOf(key)
  assert.deepEqual([answered!.attempts, answered!.code], [3, null])
  const named = ({ failedAttempts }: Receipt) => failedAttempts.map(({ code, status }) => [code, status])
  assert.deepEqual(named(answered!), [
    ['upstream_error', 500],
    ['upstream_error', null]
  ])
  const [first, second] = answered!.failedAttempts
  assert.ok(first!.startedMs + first!.durationMs <= second!.startedMs + 1, JSON.stringify([first, second]))
  assert.ok(second!.startedMs + second!.durationMs <= answered!.firstByteMs! + 1, JSON.stringify(answered))
  assert.equal(failed!.failedAttempts.length, failed!.attempts)
  assert.equal(failed!.failedAttempts.at(-1)!.code, failed!.code)
})

t.test('an answer tells what was left of the tighter budget before its own reservation', async () => {
  const account = { plan: 'free' }
  const key = await gateway.seedKey({ account, key: { monthlyBudgetNanos: 2_000_000 } })
  answer(answerOf())
  const ask = async () => {
    const response = await post(gateway, key.secret, '/chat/completions', chatOf('small', { max_tokens: 1000 }))
    await response.text()
    await gateway.settled()
    return Number(response.headers.get('x-tollgate-budget-remaining')) * 1e9
  }
  const [first, second] = [await ask(), await ask()]
  assert.equal(Math.round(first), 2_000_000)
  assert.equal(Math.round(second), 2_000_000 - costNanos)
  const response = await post(gateway, key.secret, '/chat/completions', chatOf('small'), {
    headers: { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json', origin: 'https://a.example' }
  })
  await response.text()
  assert.match(response.headers.get('access-control-expose-headers')!, /x-tollgate-cost, x-tollgate-budget-remaining/)
})

t.test('an answer whose cost is an estimate has no header, and neither has a long one', async () => {
  const key = await gateway.seedKey()
  answer(plainAnswer.slice(0, 30), plainAnswer.slice(30))
  const estimated = await post(gateway, key.secret, '/chat/completions', chatOf('small'))
  await estimated.text()
  const [receipt] = await receiptsOf(key)
  assert.equal(receipt!.isEstimated, true)
  assert.equal(estimated.headers.get('x-tollgate-cost'), null)
  const long = answerOf({ x: 'y'.repeat(400_000) })
  answer(...long.match(/.{1,100000}/g)!)
  const response = await post(gateway, key.secret, '/chat/completions', chatOf('small'))
  assert.equal(response.headers.get('x-tollgate-cost'), null)
  assert.equal(await response.text(), long)
  assert.equal((await receiptsOf(key))[1]!.costNanos, costNanos)
})

t.test('a request that nobody served costs nothing, and its receipt says why', async () => {
  const key = await gateway.seedKey()
  upstream.answer(({ response }) => void response.writeHead(400).end('{"error":{"message":"no"}}'))
  const response = await post(gateway, key.secret, '/chat/completions', chatOf('small'))
  assert.equal(response.headers.get('x-tollgate-cost'), '0.00')
  const [receipt] = await receiptsOf(key)
  assert.partialDeepStrictEqual(receipt, { status: 400, code: 'invalid_request', costNanos: 0, rates: null })
})

t.test("OpenAI's SDK reads streams that end with their cost, which clients get only if they ask", async () => {
  const key = await gateway.seedKey()
  answer(streamed)
  const client = new OpenAI({
    baseURL: `${gateway.url}/v1`,
    apiKey: key.secret,
    maxRetries: 0,
    defaultHeaders: { 'x-tollgate-cost': 'true' }
  })
  const messages = [{ role: 'user' as const, content: 'Hello' }]
  const stream = client.chat.completions.stream({ model: 'small', messages })
  assert.equal((await stream.finalChatCompletion()).choices[0]!.message.content, 'Hi')
  for (const [headers, end] of [
    [{ 'x-tollgate-cost': 'true' }, 'data: [DONE]\n\n: x-tollgate-cost 0.0001041\n\n'],
    [{}, 'data: [DONE]\n\n']
  ] as const) {
    const response = await post(gateway, key.secret, '/chat/completions', chatOf('small', { stream: true }), {
      headers: { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json', ...headers }
    })
    assert.equal(response.headers.get('x-tollgate-cost'), null)
    assert.ok((await response.text()).endsWith(`"finish_reason":"stop"}]}\n\n${end}`))
  }
  answer(plainStream)
  const response = await post(gateway, key.secret, '/chat/completions', chatOf('small', { stream: true }), {
    headers: { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json', 'x-tollgate-cost': 'true' }
  })
  assert.doesNotMatch(await response.text(), /x-tollgate-cost/, 'the cost of an estimate is not known in time')
  const receipts = await receiptsOf(key)
  assert.deepEqual(
    receipts.map(({ answeredModel, isStream }) => [answeredModel, isStream]),
    [...Array(3).fill(['small-2026', true]), [null, true]]
  )
  assert.equal(receipts[3]!.isEstimated, true)
})

t.test("Anthropic's SDK reads messages and streams that end with their cost", async (t) => {
  const started = await startMessages()
  t.teardown(started.close)
  started.upstream.answer(answerMessage)
  const key = await started.gateway.seedKey()
  const defaultHeaders = { 'x-tollgate-cost': 'true' }
  const client = new Anthropic({ apiKey: key.secret, baseURL: started.gateway.url, maxRetries: 0, defaultHeaders })
  const hello = { model: 'small', max_tokens: 100, messages: [{ role: 'user' as const, content: 'Hello' }] }
  const { response } = await client.messages.create(hello).withResponse()
  assert.equal(response.headers.get('x-tollgate-cost'), '0.00001095')
  const { content } = await client.messages.stream(hello).finalMessage()
  assert.deepEqual(content, [{ type: 'text', text: 'Hello world' }])
  await started.gateway.settled()
  const { entries } = await readReceipts(started.gateway.control, accountShard(key.account), 10)
  const receipts = entries.flatMap(({ receipts }) => receipts)
  assert.deepEqual(
    receipts.map(({ costNanos, answeredModel }) => [costNanos, answeredModel]),
    Array(2).fill([10_950, 'm'])
  )
})

t.test('refusals of a key are counted: the first is written at once, and the rest together', async () => {
  const limited = await startGateway(upstream.url, { beside: gateway })
  const key = await gateway.seedKey({ key: { monthlyBudgetNanos: 1 } })
  for (let count = 0; count < 5; count++) {
    const refused = await post(limited, key.secret, '/chat/completions', chatOf('small'))
    assert.equal(await outcomeOf(refused), '402 key_budget_exceeded')
  }
  assert.equal(
    await outcomeOf(await post(limited, key.secret, '/chat/completions', chatOf('large'))),
    '403 model_not_allowed'
  )
  assert.equal(
    await outcomeOf(await post(limited, 'sk_unknown', '/chat/completions', chatOf('small'))),
    '401 invalid_api_key'
  )
  await limited.close()
  const receipts = await receiptsOf(key)
  assert.deepEqual(
    new Set(receipts.map(({ kind, status, key }) => [kind, status, key].join(' '))),
    new Set([`refused 402 ${key.id}`, `refused 403 ${key.id}`])
  )
  const counts = receipts.filter(({ status }) => status === 402).map(({ count }) => count)
  assert.equal(
    counts.reduce((sum, count) => sum + count, 0),
    5
  )
  assert.ok(counts.length <= 2)
})

t.test('the receipt of refusals says what the smallest of them needed, and what was left', async () => {
  const limited = await startGateway(upstream.url, { beside: gateway })
  const key = await gateway.seedKey({ key: { monthlyBudgetNanos: 1000 } })
  const ask = (content: string) =>
    post(limited, key.secret, '/chat/completions', chatOf('small', { messages: [{ role: 'user', content }] }))
  const needed: number[] = []
  for (const length of [400, 100, 200]) {
    const { error } = (await (await ask('x'.repeat(length))).json()) as { error: { needed_usd: string } }
    needed.push(Math.round(Number(error.needed_usd) * 1e9))
  }
  await limited.close()
  const receipts = await receiptsOf(key)
  const smallest = receipts.map(({ refused }) => refused!).toSorted((one, other) => one.needed - other.needed)[0]
  assert.deepEqual(smallest, { unit: 'nanos', needed: needed[1], left: 1000, limit: 1000 })
})

t.test('refusals that Redis does not take are counted on, and a repeated receipt is the same one', async () => {
  const key = await gateway.seedKey()
  const shard = accountShard(key.account)
  let node: 'refuses' | 'answers late' | 'answers' = 'refuses'
  const link: RedisLink = {
    ...gateway.control,
    isReady: () => true,
    nodeOf() {
      if (node === 'refuses') throw new Error('full')
      const real = gateway.control.nodeOf(shard)
      const sendCommand = async (command: never) => {
        await real.client.sendCommand(command)
        throw new Error('Command timed out')
      }
      return node === 'answers' ? real : { ...real, client: { ...real.client, sendCommand } as never }
    }
  }
  const errors: string[] = []
  const log = createRefusalLog(link, { shardBytes: 1e6, hasAddresses: false }, ({ message }) => errors.push(message))
  const knownKey = { pointer: { account: key.account, key: key.id }, prepared: { shard } } as unknown as KnownKey
  let refusals = 0
  const flushAfter = async (more: number, next: typeof node) => {
    node = next
    for (let count = 0; count < more; count++) {
      const id = `req_${++refusals}`
      const names = { endpoint: null, model: null, askedModel: null }
      const refused = { id, key: knownKey, ...names, status: 402, code: 'key_budget_exceeded' }
      log.refused({ ...refused, amounts: null, durationMs: 1, address: undefined })
    }
    await log.stop()
  }
  await flushAfter(2, 'refuses')
  await flushAfter(3, 'answers late')
  await flushAfter(4, 'answers')
  const counts = new Map((await receiptsOf(key)).map(({ id, count }) => [id, count]))
  assert.deepEqual([...counts].toSorted(), [
    ['req_2', 2],
    ['req_5', 3],
    ['req_9', 4]
  ])
  assert.deepEqual(errors, ['full'], 'one outage is told once')
})

t.test(
  'a refusal has the model in the client’s words, also one that does not exist, up to 300 characters',
  async () => {
    const other = await startGateway(upstream.url, { beside: gateway })
    const models = ['no-such-model', 'é'.repeat(200), 'm'.repeat(300), `${'m'.repeat(300)}!`, 'é'.repeat(500)]
    const keys: SeededKey[] = []
    for (const model of models) {
      const key = await gateway.seedKey()
      const refused = await post(other, key.secret, '/chat/completions', chatOf(model))
      assert.equal(await outcomeOf(refused), '403 model_not_allowed')
      keys.push(key)
    }
    // It writes its receipts when it closes, at the latest.
    await other.close()
    const receiptModels: Array<string | null> = []
    for (const key of keys) receiptModels.push(...(await receiptsOf(key)).map((receipt) => receipt.model))
    assert.deepEqual(
      receiptModels,
      models.map((model) => model.slice(0, 300))
    )
  }
)

t.test('without a request log, nothing is written; without addresses, receipts have none', async () => {
  answer(answerOf())
  for (const [requestLog, expected] of [
    [null, []],
    [{ shardBytes: 1e6, hasAddresses: false }, [null]]
  ] as const) {
    const other = await startGateway(upstream.url, { beside: gateway, requestLog })
    const key = await gateway.seedKey()
    const response = await post(other, key.secret, '/chat/completions', chatOf('small'))
    assert.equal(response.headers.get('x-tollgate-cost'), '0.0001041')
    await response.text()
    assert.equal(
      await outcomeOf(await post(other, key.secret, '/chat/completions', chatOf('large'))),
      '403 model_not_allowed'
    )
    await other.close()
    const receipts = await receiptsOf(key)
    assert.deepEqual(
      receipts.filter(({ kind }) => kind === 'settled').map(({ address }) => address),
      expected
    )
    if (requestLog === null) assert.deepEqual(receipts, [])
  }
})

t.test('above its memory, the log drops the oldest receipts, and requests go on', async () => {
  answer(answerOf())
  const small = await startGateway(upstream.url, {
    beside: gateway,
    requestLog: { shardBytes: 500, hasAddresses: false }
  })
  let key = await gateway.seedKey()
  // Receipts of other accounts in the shard would be dropped and counted, too.
  while ((await readReceipts(gateway.control, accountShard(key.account), 1)).entries.length > 0) {
    key = await gateway.seedKey()
  }
  const ids: string[] = []
  // About one settlement in 64 looks at the size.
  while (ids.length < 20 || (await droppedReceipts(gateway.control)) === 0) {
    const response = await post(small, key.secret, '/chat/completions', chatOf('small'))
    assert.equal(response.status, 200)
    ids.push(response.headers.get('x-request-id')!)
    await response.text()
  }
  await small.close()
  const left = (await receiptsOf(key)).map(({ id }) => id)
  assert.deepEqual(left, ids.slice(-left.length))
  assert.equal(left.length + (await droppedReceipts(gateway.control)), ids.length)
  assert.equal(await spentOf(key), ids.length * costNanos)
})
