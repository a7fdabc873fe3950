import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { findProgram } from '@tollgate/sandbox/find-program.ts'
import { need } from '@tollgate/sandbox/need.ts'
import t from 'tap'
import { startShippedNginx } from './nginx/start-shipped-nginx.ts'
import { Person } from './person.ts'
import { recordedRequests, sharedSystem, type TestSystem } from './start-test-system.ts'

const nginx = findProgram(['nginx'])
let system: TestSystem
let ada: Person
t.before(async () => {
  if (nginx === null) return
  system = await sharedSystem()
  ada = await new Person(system, 'ada').join('enterprise')
})

const hosts = () => system.addresses.gateways.map((gateway) => new URL(gateway).host) as [string, string]

t.test('a rolling restart of two gateways behind nginx loses no request', async (t) => {
  if (!need(t, 'nginx', nginx)) return
  const { value } = (await ada.createKey('rolling')).body.key
  const url = await startShippedNginx(t, nginx!, hosts())

  const failures: string[] = []
  let served = 0
  let isOver = false
  const asking = Array.from({ length: 8 }, async (_, worker) => {
    for (let request = 0; !isOver; request++) {
      const stream = (worker + request) % 2 === 0
      try {
        const answer = await fetch(`${url}/v1/chat/completions`, {
          method: 'POST',
          headers: { authorization: `Bearer ${value}`, 'content-type': 'application/json' },
          body: JSON.stringify({ model: 'gpt-4o-mini', stream, messages: [{ role: 'user', content: 'Say 20 words.' }] })
        })
        const text = await answer.text()
        const isWhole = stream
          ? text.endsWith('data: [DONE]\n\n') && !text.includes('"error"')
          : answer.ok && JSON.parse(text).choices.length === 1
        if (!answer.ok || !isWhole) failures.push(`${answer.status} ${text.slice(-200)}`)
        else served++
      } catch (error) {
        failures.push(String((error as Error).cause ?? error))
      }
    }
  })
  for (const gateway of ['gateway', 'gateway-2', 'gateway', 'gateway-2']) {
    const before = served
    while (served < before + 50 && failures.length === 0) await delay(10)
    await system.part(gateway).restart()
  }
  isOver = true
  await Promise.all(asking)
  t.comment(`${served} requests served during four restarts`)
  assert.deepEqual(failures, [])
  assert.ok(served > 200)
})

t.test('the provider is called once for each request of a gateway that is killed', async (t) => {
  if (!need(t, 'nginx', nginx)) return
  const { value } = (await ada.createKey('killed')).body.key
  const url = await startShippedNginx(t, nginx!, hosts())
  const before = (await recordedRequests(system)).length
  const calls = async () => (await recordedRequests(system)).length - before
  const count = 8
  const asking = Array.from({ length: count }, async () => {
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${value}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'gpt-4o-mini',
        messages: [{ role: 'user', content: 'Say 2 words. [sandbox+first-byte-ms=5000]' }]
      })
    })
    const { error } = (await answer.json()) as { error?: { code: string } }
    return error === undefined ? 'served' : `${answer.status} ${error.code}`
  })
  while ((await calls()) < count) await delay(10)
  t.teardown(() => system.part('gateway').start())
  await system.part('gateway').kill('SIGKILL')
  const outcomes = await Promise.all(asking)
  t.comment(outcomes.join(', '))
  assert.deepEqual(new Set(outcomes), new Set(['served', '503 gateway_unreachable']))
  assert.equal(await calls(), count)
})
