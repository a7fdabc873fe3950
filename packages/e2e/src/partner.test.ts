import assert from 'node:assert/strict'
import type { CreatedKey, Key } from '@tollgate/contracts/http/keys.ts'
import t from 'tap'
import { Person } from './person.ts'
import { chatOutcome, openaiClient, sharedSystem, type TestSystem } from './start-test-system.ts'
import { untilOutcome } from './until-outcome.ts'

const tenants = 10

let system: TestSystem
t.before(async () => {
  system = await sharedSystem()
})

/** A partner's server, with a management key and `fetch`. */
async function ask<Body>(
  secret: string,
  method: string,
  path: string,
  body?: object
): Promise<{ status: number; body: Body }> {
  const response = await fetch(`${system.addresses.control}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${secret}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' })
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  return { status: response.status, body: (await response.json()) as Body }
}

t.test('a partner’s server creates and manages a key for each of its tenants', async () => {
  const partner = await new Person(system, 'partner').join('enterprise')
  const { key: management } = (
    await partner.call<{ key: CreatedKey }>('POST', '/api/keys', { label: 'our server', scope: 'management' })
  ).body
  const server = <Body>(method: string, path: string, body?: object) => ask<Body>(management.value, method, path, body)
  const chat = (value: string, number = 0) => chatOutcome(openaiClient(system.addresses.gateways[number % 2]!, value))

  assert.equal(await chat(management.value), '401 invalid_api_key', 'a management key cannot call models')

  const keys = await Promise.all(
    Array.from({ length: tenants }, async (_, number) => {
      const metadata = { tenant: `t-${number}`, region: number % 2 === 0 ? 'eu' : 'us' }
      const made = await server<{ key: CreatedKey }>('POST', '/api/keys', { label: `Tenant ${number}`, metadata })
      assert.equal(made.status, 201)
      return made.body.key
    })
  )
  const outcomes = await Promise.all(keys.map(({ value }, number) => chat(value, number)))
  assert.deepEqual(new Set(outcomes), new Set(['200']), 'every tenant chats')

  const listed: Key[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path: string = `/api/keys?limit=4${cursor === '' ? '' : `&cursor=${cursor}`}`
    const page: { body: { keys: Key[]; next_cursor: string | null } } = await server('GET', path)
    listed.push(...page.body.keys)
    cursor = page.body.next_cursor
  }
  assert.deepEqual(listed.map(({ id }) => id).sort(), keys.map(({ id }) => id).sort(), 'each key once')
  const ofOne = await server<{ keys: Key[] }>('GET', '/api/keys?metadata.tenant=t-7&metadata.region=us')
  assert.deepEqual(
    ofOne.body.keys.map(({ label }) => label),
    ['Tenant 7']
  )

  const [rotated, revoked, graceful] = [keys[3]!, keys[4]!, keys[5]!]
  const next = await server<{ key: CreatedKey }>('POST', `/api/keys/${rotated.id}/rotate`)
  assert.partialDeepStrictEqual(next, { status: 200, body: { key: { id: rotated.id } } })
  assert.equal(await chat(next.body.key.value), '200')
  assert.equal(await chat(rotated.value), '401 revoked_api_key', 'the old secret is refused at once')
  const startedAt = performance.now()
  const soft = await server<{ key: CreatedKey }>('POST', `/api/keys/${graceful.id}/rotate`, { grace_seconds: 2 })
  assert.equal(await chat(soft.body.key.value), '200')
  assert.partialDeepStrictEqual(await server('DELETE', `/api/keys/${revoked.id}`), { status: 200, body: { ok: true } })
  assert.equal(await chat(revoked.value), '401 revoked_api_key')

  await server('PATCH', `/api/keys/${keys[6]!.id}`, { models: ['gpt-4o-mini'] })
  assert.equal(
    await chatOutcome(openaiClient(system.addresses.gateways[0]!, keys[6]!.value), 'gpt-4o'),
    '403 model_not_allowed'
  )
  assert.equal(await chat(keys[6]!.value), '200')

  await untilOutcome(() => chat(graceful.value), '401 revoked_api_key', { pauseMs: 100 })
  assert.ok(
    performance.now() >= startedAt + 1990,
    'the old secret works until its grace period ends (with 10 ms tolerance between clocks)'
  )

  const others = keys.filter((key) => ![rotated, revoked, graceful].includes(key))
  const after = await Promise.all(others.map(({ value }, number) => chat(value, number)))
  assert.deepEqual(new Set(after), new Set(['200']), 'the other keys still work')
})
