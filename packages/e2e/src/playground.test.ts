import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { Person } from './person.ts'
import { chatOutcome, openaiClient, sharedSystem, type TestSystem } from './start-test-system.ts'
import { untilOutcome } from './until-outcome.ts'

let system: TestSystem
t.before(async () => {
  system = await sharedSystem()
})

interface Token {
  readonly id: string
  readonly value: string
}

async function ask(person: Person): Promise<Token> {
  const { status, body } = await person.call<{ token: Token }>('POST', '/api/playground/token')
  assert.equal(status, 200)
  return body.token
}

const outcome = ({ value }: Token) => chatOutcome(openaiClient(system.addresses.gateways[0]!, value))

t.test('a token of the playground calls models like a key, and dies within 5 seconds of the sign-out', async () => {
  const ada = await new Person(system, 'ada').join()
  const token = await ask(ada)
  assert.equal(await outcome(token), '200')
  // The free plan allows one key.
  assert.equal((await ada.createKey('the only key')).status, 201)
  const second = await ask(ada)
  assert.equal(await outcome(second), '200')
  const client = openaiClient(system.addresses.gateways[0]!, token.value)
  const models = (await client.models.list()).data.map(({ id }) => id)
  const { account } = (await ada.call<{ account: { models: Array<{ id: string }> } }>('GET', '/api/account')).body
  assert.deepEqual(models.sort(), account.models.map(({ id }) => id).sort())
  assert.equal(await chatOutcome(client, 'no-such-model'), '403 model_not_allowed')

  await ada.call('POST', '/api/auth/signout')
  await untilOutcome(() => outcome(second), '401 expired_api_key', { timeoutMs: 5000, pauseMs: 300 })
})

t.test('its usage is charged once, under the name Playground, and never above the cap', async () => {
  const grace = await new Person(system, 'grace').join()
  const token = await ask(grace)
  assert.equal(await outcome(token), '200')
  type Usage = {
    buckets: Array<{ key_id: string; requests: number; cost_usd: string }>
    keys: Array<{ id: string; label: string }>
  }
  type Log = { requests: Array<{ key_id: string; cost_usd: string }>; keys: Array<{ id: string; label: string }> }
  const read = async () => ({
    usage: (await grace.call<Usage>('GET', '/api/usage?interval=month&group_by=key')).body,
    log: (await grace.call<Log>('GET', '/api/requests')).body
  })
  let seen = await read()
  while (seen.usage.buckets.length === 0 || seen.log.requests.length === 0) {
    await delay(50)
    seen = await read()
  }
  const { usage, log } = seen
  assert.deepEqual(
    [usage.buckets.map(({ key_id, requests }) => [key_id, requests]), log.requests.map(({ key_id }) => key_id)],
    [[[token.id, 1]], [token.id]]
  )
  assert.equal(usage.buckets[0]!.cost_usd, log.requests[0]!.cost_usd)
  assert.notEqual(Number(usage.buckets[0]!.cost_usd), 0)
  for (const { keys } of [usage, log]) assert.partialDeepStrictEqual(keys, [{ id: token.id, label: 'Playground' }])

  assert.equal((await grace.call('PATCH', '/api/account', { monthly_budget_usd: 0 })).status, 200)
  assert.equal(await outcome(token), '402 monthly_budget_exceeded')
})
