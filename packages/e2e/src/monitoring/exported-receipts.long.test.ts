import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { test } from 'tap'
import { Person } from '../person.ts'
import { type CollectedLog, type Collector, exportingSystem } from './exporting-system.ts'

interface Requests {
  requests: Array<{ id: string }>
}

const chat = { messages: [{ role: 'user' as const, content: 'Say 30 words.' }] }
const idOf = ({ attributes }: CollectedLog) => String(attributes['tollgate.request.id'])

test('a collector that others wrote gets the receipt of every request once, also of those while it was away', async () => {
  const { system, collector, startAnotherCollector } = await exportingSystem()
  const first = collector()
  const ada = await new Person(system, 'ada').join('pro')
  const { id: keyId, value } = (await ada.createKey('exported')).body.key
  const ids: string[] = []
  /**
   * Each in a second of its own: receipts have the second, and this collector keeps one record per time and severity.
   */
  const send = async (body: { model: string; stream?: boolean }) => {
    await delay(1000 - (Date.now() % 1000))
    const answer = await fetch(`${system.addresses.gateways[0]}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${value}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...chat, ...body })
    })
    await answer.text()
    ids.push(answer.headers.get('x-request-id')!)
  }

  await send({ model: 'gpt-4o-mini' })
  await send({ model: 'gpt-4o-mini', stream: true })
  await send({ model: 'failing' })
  /** Other files send requests with other keys. */
  const ofKey = async (one: Collector) =>
    (await one.logs()).filter(({ attributes }) => attributes['tollgate.key.id'] === keyId)
  const before = await untilLogged(() => ofKey(first), ids)

  await first.kill()
  for (let number = 0; number < 3; number++) await send({ model: 'gpt-4o-mini', stream: number === 1 })
  const second = await startAnotherCollector()
  const logs = [...before, ...(await untilLogged(() => ofKey(second), ids.slice(before.length)))]

  assert.equal(new Set(logs.map(idOf)).size, logs.length, 'what the first one had taken was not sent again')
  assert.deepEqual(new Set(before.map(idOf)), new Set(ids.slice(0, 3)))
  const listed = await ada.call<Requests>('GET', '/api/requests')
  assert.deepEqual(new Set(logs.map(idOf)), new Set(listed.body.requests.map(({ id }) => id)))

  const [plain, stream, failed] = ids.map((id) => logs.find((log) => idOf(log) === id)!)
  assert.equal(plain!.severityText, 'INFO')
  assert.equal(plain!.body, '/v1/chat/completions 200')
  assert.equal(plain!.attributes['tollgate.receipt.kind'], 'settled')
  assert.equal(plain!.attributes['tollgate.key.id'], keyId)
  assert.equal(plain!.attributes['http.route'], '/v1/chat/completions')
  assert.equal(plain!.attributes['gen_ai.request.model'], 'gpt-4o-mini')
  assert.equal(Number(plain!.attributes['http.response.status_code']), 200)
  assert.ok(Number(plain!.attributes['gen_ai.usage.output_tokens']) > 0)
  assert.ok(Number(plain!.attributes['tollgate.cost.nanodollars']) > 0)
  assert.equal(plain!.resource['service.name'], 'tollgate-control')
  assert.equal(String(plain!.attributes['gen_ai.request.stream']), 'false')
  assert.equal(String(stream!.attributes['gen_ai.request.stream']), 'true')
  assert.equal(failed!.severityText, 'WARN')
  assert.ok(Number(failed!.attributes['http.response.status_code']) >= 500)
})

/** The records of the collector once it has all of these requests. */
async function untilLogged(read: () => Promise<CollectedLog[]>, ids: readonly string[]): Promise<CollectedLog[]> {
  const deadline = performance.now() + 120_000
  let logs: CollectedLog[] = []
  while (performance.now() < deadline) {
    logs = await read()
    const arrived = new Set(logs.map(idOf))
    if (ids.every((id) => arrived.has(id))) return logs
    await delay(100)
  }
  throw new Error(`only ${logs.length} records arrived: ${logs.map(idOf).join(', ')}; expected ${ids.join(', ')}`)
}
