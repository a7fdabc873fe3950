import { readFileSync } from 'node:fs'
import type { RecordedRequest } from '@tollgate/sandbox/models/request-recorder.ts'
import t from 'tap'
import { catalogWith } from './catalog-with.ts'
import { Person } from './person.ts'
import { recordedRequests } from './recorded-requests.ts'
import { startTestSystem, type TestSystem } from './start-test-system.ts'

function stream(system: TestSystem, secret: string, model: string, signal?: AbortSignal): Promise<Response> {
  return fetch(`${system.addresses.gateways[0]}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'Say 500 words.' }] }),
    ...(signal === undefined ? {} : { signal })
  })
}

/** Resident memory of a process, bytes. */
function residentBytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1024
}

let system: TestSystem
let ada: Person
t.before(async () => {
  system = await startTestSystem(t, { env: { CATALOG_FILE: catalogWith(t.testdir(), { flood: 'x+flood-mb=100' }) } })
  ada = await new Person(system, 'ada').join('pro')
})

t.test('a 100 MB stream with a stalled reader leaves the gateway’s memory flat', async (t) => {
  if (process.platform !== 'linux') return t.pass('reads /proc', { skip: 'only on Linux' })
  const { value } = (await ada.createKey('flood')).body.key
  const { pid } = system.part('gateway')
  await (await stream(system, value, 'gpt-4o-mini')).text()
  const before = residentBytes(pid!)
  const response = await stream(system, value, 'flood')
  const reader = response.body!.getReader()
  let bytes = (await reader.read()).value!.length
  // Nobody reads now. What grows would grow here.
  let highest = 0
  for (let sample = 0; sample < 30; sample++) {
    await new Promise((resolve) => setTimeout(resolve, 100))
    highest = Math.max(highest, residentBytes(pid!))
  }
  const stalledGrowth = Math.round((highest - before) / 1024 / 1024)
  t.ok(stalledGrowth < 20, `${stalledGrowth} MB more while the reader stalls`)
  let parts = 0
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    bytes += part.value.length
    if (parts++ % 100 === 0) highest = Math.max(highest, residentBytes(pid!))
  }
  t.ok(bytes >= 100e6, `${bytes} bytes arrived`)
  const growth = Math.round((highest - before) / 1024 / 1024)
  t.ok(growth < 60, `${growth} MB more at the most`)
})

t.test('a client that goes away in the middle of a stream closes the upstream call within a second', async (t) => {
  // The flood has used up ada's tokens for some time: it was more than she had been granted.
  const bob = await new Person(system, 'bob').join()
  const { value } = (await bob.createKey('leaver')).body.key
  const leaving = new AbortController()
  const response = await stream(system, value, 'gpt-4o-mini', leaving.signal)
  await response.body!.getReader().read()
  const leftAt = performance.now()
  leaving.abort()
  let seen: RecordedRequest | undefined
  while (seen?.abortedAtMs == null && performance.now() < leftAt + 5000) seen = (await recordedRequests(system)).at(-1)
  const ms = Math.round(performance.now() - leftAt)
  t.ok(seen?.abortedAtMs != null, 'the upstream saw it')
  t.ok(ms < 1000, `after ${ms} ms`)
})
