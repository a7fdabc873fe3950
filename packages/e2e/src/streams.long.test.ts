import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { RecordedRequest } from '@tollgate/sandbox/models/request-recorder.ts'
import t from 'tap'
import { Person } from './person.ts'
import { recordedRequests, sharedSystem, type TestSystem } from './start-test-system.ts'
import { startHostClock } from './until-outcome.ts'

const flood = '[sandbox+flood-mb=100]'

function stream(system: TestSystem, secret: string, content: string, signal?: AbortSignal): Promise<Response> {
  return fetch(`${system.addresses.gateways[0]}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-4o-mini', stream: true, messages: [{ role: 'user', content }] }),
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
  system = await sharedSystem()
  ada = await new Person(system, 'ada').join('pro')
})

t.test('a 100 MB stream with a stalled reader leaves the gateway’s memory flat', async (t) => {
  if (process.platform !== 'linux') return t.comment('skipped: only Linux has /proc')
  const { value } = (await ada.createKey('flood')).body.key
  const { pid } = system.part('gateway')
  // V8's young generation grows with the first garbage, to 48 MB at most. A flood uses up the rate limit of its
  // account.
  const earlier = (await (await new Person(system, 'carol').join('pro')).createKey('flood')).body.key
  await drain(await stream(system, earlier.value, flood))
  const before = ownBytes(pid!)
  const response = await stream(system, value, flood)
  const reader = response.body!.getReader()
  let bytes = (await reader.read()).value!.length
  // The client does not read now, so buffered data would show here.
  let maxBytes = 0
  for (let sample = 0; sample < 30; sample++) {
    await new Promise((resolve) => setTimeout(resolve, 100))
    maxBytes = Math.max(maxBytes, ownBytes(pid!))
  }
  const growth = Math.round((maxBytes - before) / 1024 / 1024)
  // All of the stream would take 100 MB. When V8 collects garbage is up to the machine, which takes some tens.
  assert.ok(growth < 60, `memory grew by ${growth} MB while the reader stalled`)
  for (let part = await reader.read(); !part.done; part = await reader.read()) bytes += part.value.length
  assert.ok(bytes >= 100e6, `${bytes} bytes arrived`)
})

t.test('when a client hangs up on a stream, the gateway closes the upstream call within a second', async () => {
  // The flood used up ada's rate limit of tokens for some time.
  const bob = await new Person(system, 'bob').join()
  const { value } = (await bob.createKey('leaver')).body.key
  const leaving = new AbortController()
  const response = await stream(system, value, 'Say 500 words.', leaving.signal)
  const id = response.headers.get('x-request-id')!
  await response.body!.getReader().read()
  leaving.abort()
  const clock = startHostClock()
  let seen: RecordedRequest | undefined
  while (seen?.abortedAtMs == null) seen = (await recordedRequests(system, id)).at(-1)
  const ms = Math.round(clock.ms())
  clock.stop()
  assert.ok(ms < 1000, `after ${ms} ms`)
})
