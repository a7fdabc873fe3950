import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { RecordedRequest } from '@tollgate/sandbox/models/request-recorder.ts'
import t from 'tap'
import { Person } from './person.ts'
import { recordedRequests } from './recorded-requests.ts'
import { startTestSystem, type TestSystem } from './start-test-system.ts'
import { writeCatalogWith } from './write-catalog.ts'

function stream(system: TestSystem, secret: string, model: string, signal?: AbortSignal): Promise<Response> {
  return fetch(`${system.addresses.gateways[0]}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'Say 500 words.' }] }),
    ...(signal === undefined ? {} : { signal })
  })
}

async function drain({ body }: Response): Promise<void> {
  for await (const _ of body!);
}

/** The memory of a process without the pages of files, because a busy machine maps more or fewer of those. */
function ownBytes(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1')
  return Number(/^Anonymous:\s+(\d+) kB$/m.exec(text)![1]) * 1024
}

let system: TestSystem
let ada: Person
t.before(async () => {
  system = await startTestSystem(t, {
    env: { CATALOG_FILE: writeCatalogWith(t.testdir(), { flood: 'x+flood-mb=100' }) }
  })
  ada = await new Person(system, 'ada').join('pro')
})

t.test('a 100 MB stream with a stalled reader leaves the gateway’s memory flat', async (t) => {
  if (process.platform !== 'linux') return t.comment('skipped: only Linux has /proc')
  const { value } = (await ada.createKey('flood')).body.key
  const { pid } = system.part('gateway')
  // V8's young generation grows with the first garbage, to 48 MB at most. A flood uses up the rate limit of its account.
  const earlier = (await (await new Person(system, 'carol').join('pro')).createKey('flood')).body.key
  await drain(await stream(system, earlier.value, 'flood'))
  const before = ownBytes(pid!)
  const response = await stream(system, value, 'flood')
  const reader = response.body!.getReader()
  let bytes = (await reader.read()).value!.length
  // The client does not read now, so buffered data would show here.
  let maxBytes = 0
  for (let sample = 0; sample < 30; sample++) {
    await new Promise((resolve) => setTimeout(resolve, 100))
    maxBytes = Math.max(maxBytes, ownBytes(pid!))
  }
  const stalledGrowth = Math.round((maxBytes - before) / 1024 / 1024)
  assert.ok(stalledGrowth < 20, `memory grew by ${stalledGrowth} MB while the reader stalled`)
  let parts = 0
  let grown = 0
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    bytes += part.value.length
    if (grown === 0 && bytes > 50e6) grown = maxBytes = ownBytes(pid!)
    if (parts++ % 100 === 0) maxBytes = Math.max(maxBytes, ownBytes(pid!))
  }
  assert.ok(bytes >= 100e6, `${bytes} bytes arrived`)
  const growth = Math.round((maxBytes - grown) / 1024 / 1024)
  assert.ok(growth < 25, `memory grew by ${growth} MB in the second half`)
  const total = Math.round((maxBytes - before) / 1024 / 1024)
  assert.ok(total < 120, `memory grew by ${total} MB in all`)
})

t.test('when a client hangs up on a stream, the gateway closes the upstream call within a second', async () => {
  // The flood used up ada's rate limit of tokens for some time.
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
  assert.ok(seen?.abortedAtMs != null, 'the upstream saw the call close')
  assert.ok(ms < 1000, `after ${ms} ms`)
})
