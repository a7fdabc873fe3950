import { setTimeout as delay } from 'node:timers/promises'
import type { UsageResponse } from '@tollgate/contracts/http/usage.ts'
import OpenAI from 'openai'
import t from 'tap'
import { chatOutcome, openaiClient } from './openai-client.ts'
import { Person } from './person.ts'
import { startTestSystem, type TestSystem } from './start-test-system.ts'

let system: TestSystem
t.before(async () => {
  system = await startTestSystem(t, { gateways: 2 })
})

t.test('from registration to a streamed answer, and to a revoked key, with the official SDK', async (t) => {
  const ada = new Person(system, 'ada')

  t.match(await ada.register(), { status: 200, body: { ok: true } })
  t.equal(ada.cookie, null, 'registration sets no session')
  t.match(await ada.login(), { status: 403, body: { error: { code: 'email_not_confirmed' } } })
  t.match(await ada.confirm({ password: 'another' }), { status: 409, body: { error: { code: 'password_mismatch' } } })
  t.match(await ada.me(), { status: 401, body: { error: { code: 'not_authenticated' } } })
  t.match(await ada.confirm(), { status: 200, body: { user: { email: ada.email } } })
  t.match(await ada.me(), { status: 200 })
  const login = await ada.login()
  t.match(login, { status: 200, body: { user: { email: ada.email, name: 'Ada', plan: 'free' } } })
  t.same((await ada.me()).body, login.body)

  const created = await ada.createKey('first')
  t.equal(created.status, 201)
  const { id, value } = created.body.key
  t.match(await ada.createKey('second'), { status: 403, body: { error: { code: 'key_quota_exceeded' } } })
  t.match(await ada.listKeys(), {
    body: { keys: [{ id, label: 'first', prefix: value.slice(3, 11), status: 'active', last_used: null }] }
  })
  t.notMatch(JSON.stringify((await ada.listKeys()).body), value, 'the secret is never told again')

  for (const gateway of system.addresses.gateways) {
    const openai = openaiClient(gateway, value)
    const question = { model: 'gpt-4o-mini', messages: [{ role: 'user' as const, content: 'Say 20 words.' }] }
    const answer = await openai.chat.completions.create(question)
    t.match(answer, { object: 'chat.completion', choices: [{ message: { role: 'assistant', content: String } }] })
    let streamed = ''
    for await (const chunk of await openai.chat.completions.create({ ...question, stream: true })) {
      streamed += chunk.choices[0]?.delta.content ?? ''
    }
    t.equal(streamed, answer.choices[0]!.message.content, 'the stream says the same')
    const models = []
    for await (const model of await openai.models.list()) models.push(model.id)
    t.same(models, ['gpt-5-nano', 'gpt-4o-mini', 'text-embedding-3-small'])
    t.match(await openai.models.retrieve('gpt-4o-mini'), { id: 'gpt-4o-mini', object: 'model', owned_by: 'openai' })
    t.equal(await chatOutcome(openai, 'gpt-4o'), '403 model_not_allowed', 'a model of another plan')
    t.equal(await chatOutcome(openai, 'no-such-model'), '403 model_not_allowed', 'a model that does not exist')
  }

  const usedAt = Date.now()
  t.equal(await chatOutcome(openaiClient(system.addresses.gateways[1]!, value), 'gpt-4o-mini'), '200')
  const isListedAsUsed = async () => Date.parse((await ada.listKeys()).body.keys[0]!.last_used ?? '') >= usedAt
  while (!(await isListedAsUsed()) && Date.now() < usedAt + 5000) await delay(20)
  t.ok(await isListedAsUsed(), 'a use is listed within five seconds')

  // Two answers of each gateway, and the one before; what was refused is none.
  const served = 2 * system.addresses.gateways.length + 1
  const reported = async () => {
    const { body } = await ada.call<UsageResponse>('GET', '/api/usage?interval=month')
    return body.buckets.reduce((sum, { requests }) => sum + requests, 0)
  }
  while ((await reported()) < served && Date.now() < usedAt + 5000) await delay(20)
  t.equal(await reported(), served, 'requests are reported within five seconds')
  t.match(await ada.call('GET', '/api/usage/summary'), { body: { spent_usd: /[1-9]/, reserved_usd: '0.00' } })

  t.match(await ada.revokeKey(id), { status: 200, body: { ok: true } })
  for (const gateway of system.addresses.gateways) {
    const refusal = await openaiClient(gateway, value)
      .models.list()
      .then(
        () => null,
        (error: unknown) => error
      )
    t.ok(refusal instanceof OpenAI.AuthenticationError, "the SDK's own class for it")
    t.match(refusal, { status: 401, code: 'revoked_api_key', type: 'authentication_error' })
  }
  t.same((await ada.listKeys()).body, { keys: [], next_cursor: null })
  t.equal((await ada.createKey('second')).status, 201, 'a revoked key no longer counts')

  t.match(await ada.call('POST', '/api/auth/signout'), { status: 200, body: { ok: true } })
  t.equal((await ada.me()).status, 401)
})

t.test('numbers beyond 2^53 and free objects reach the upstream unchanged', async (t) => {
  const ada = await new Person(system, 'ada').join()
  const { value } = (await ada.createKey('raw')).body.key
  const body =
    '{"model" : "gpt-4o-mini","messages":[{"role":"user","content":"Hi"}],"response_format":{"type":"json_schema","json_schema":{"name":"x","schema":{"x-unknown":[1e400,0.10]}}},"max_completion_tokens":1,"seed":9007199254740993,"logit_bias":{"1":18446744073709551616} }'
  const response = await fetch(`${system.addresses.gateways[0]}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${value}`, 'content-type': 'application/json' },
    body
  })
  t.equal(response.status, 200, await response.text())
  const requests = await fetch(`${system.addresses.models}/sandbox/requests`)
  const { requests: seen } = (await requests.json()) as { requests: Array<{ id: string; requestId: string }> }
  const recorded = seen.at(-1)!
  const arrived = await fetch(`${system.addresses.models}/sandbox/requests/${recorded.id}/body`)
  t.equal(await arrived.text(), body)
})

t.test('keys of somebody who joins a team are refused from the next request on, and come back', async (t) => {
  const owner = await new Person(system, 'owner').join('team')
  const ada = await new Person(system, 'ada').join()
  const clientsOf = (secret: string) => system.addresses.gateways.map((gateway) => openaiClient(gateway, secret))
  const outcomes = async (clients: ReturnType<typeof clientsOf>, model?: string) => [
    ...new Set(await Promise.all(clients.map((client) => chatOutcome(client, model))))
  ]
  const own = clientsOf((await ada.createKey('own')).body.key.value)
  t.same(await outcomes(own), ['200'])

  type Invited = { invitation: { link: string } }
  const { body, status } = await owner.call<Invited>('POST', '/api/team/seats', { email: ada.email })
  t.equal(status, 201)
  const { pathname } = new URL(body.invitation.link)
  t.match(await ada.call('GET', pathname), { status: 200, body: /<div id="root">/ })
  t.match(await ada.call('POST', `/api/team${pathname}/accept`), { status: 200, body: { ok: true } })
  t.same(await outcomes(own), ['403 account_suspended'])
  await t.rejects(own[0]!.models.list(), { status: 403, message: /paused while its owner is in a team/ })
  t.match(await ada.me(), { body: { user: { plan: 'team' } } })

  const shared = clientsOf((await ada.createKey('for the team')).body.key.value)
  t.same(await outcomes(shared, 'gpt-4o'), ['200'], 'on the plan of the team')

  const { id } = (await ada.me()).body.user
  t.match(await owner.call('DELETE', `/api/team/seats/${id}`), { status: 200, body: { ok: true } })
  t.same(await outcomes(own), ['200'])
  t.same(await outcomes(own, 'gpt-4o'), ['403 model_not_allowed'], 'on their own plan again')
  t.same(await outcomes(shared, 'gpt-4o'), ['200'], 'the key stays with the team')
  t.match(await ada.me(), { body: { user: { plan: 'free' } } })
})
