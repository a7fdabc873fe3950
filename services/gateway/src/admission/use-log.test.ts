import assert from 'node:assert/strict'
import { lastUsesName } from '@tollgate/state/keyspace/names.ts'
import { readUses } from '@tollgate/state/last-uses/last-uses.ts'
import t from 'tap'
import { type FakeUpstream, startFakeUpstream } from '../testing/fake-upstream.ts'
import { startGateway, type TestGateway } from '../testing/start-gateway.ts'
import type { SeededKey } from '../testing/test-keys.ts'
import { createUseLog } from './use-log.ts'

let upstream: FakeUpstream
let gateway: TestGateway
t.before(async () => {
  upstream = await startFakeUpstream()
  gateway = await startGateway(upstream.url)
})
t.teardown(async () => {
  await gateway.close()
  await upstream.close()
})
t.beforeEach(async () => void (await gateway.control.client.del(lastUsesName)))

async function ask({ secret }: SeededKey, path: string, body?: object): Promise<number> {
  const response = await fetch(`${gateway.url}/v1${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${secret}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) })
  })
  await response.text()
  return response.status
}

const chat = (key: SeededKey, model: string) =>
  ask(key, '/chat/completions', { model, messages: [{ role: 'user', content: 'Hello' }] })

/** @returns all recorded uses, once they include `key` */
async function untilRecorded(key: string): Promise<Map<string, number>> {
  for (;;) {
    const uses = await readUses(gateway.control)
    if (uses.has(key)) return uses
  }
}

t.test('an admitted request is recorded within two seconds, and a refused request is not', async () => {
  const [chatting, listing, refused, revoked] = await Promise.all([0, 1, 2, 3].map(() => gateway.seedKey()))
  await gateway.changeKey(revoked!, { status: 'revoked' })
  // The refused requests come first: their uses would be recorded with the others, or before.
  assert.equal(await chat(refused!, 'large'), 403)
  assert.equal(await chat(revoked!, 'small'), 401)
  assert.equal(await ask(revoked!, '/models'), 401)
  const startedAt = Date.now()
  assert.equal(await ask(listing!, '/models'), 200)
  assert.equal(await chat(chatting!, 'small'), 200)
  const uses = await untilRecorded(chatting!.id)
  const recordedAt = Date.now()
  assert.ok(recordedAt - startedAt < 2000, `${recordedAt - startedAt} ms`)
  assert.deepEqual([...uses.keys()].sort(), [chatting!.id, listing!.id].sort())
  for (const at of uses.values()) assert.ok(at >= startedAt && at <= recordedAt)
})

t.test('uses that Redis rejects are kept, reported once, and sent later', async () => {
  const errors: Error[] = []
  let report = () => {}
  const reported = new Promise<void>((resolve) => {
    report = resolve
  })
  const useLog = createUseLog(gateway.state, (error) => {
    errors.push(error)
    report()
  })
  await gateway.control.client.set(lastUsesName, 'no hash')
  useLog.used('key_a')
  useLog.start()
  await reported
  useLog.used('key_b')
  await useLog.stop()
  assert.equal(errors.length, 1)
  assert.ok(!('command' in errors[0]!))

  await gateway.control.client.del(lastUsesName)
  await useLog.stop()
  assert.deepEqual([...(await readUses(gateway.control)).keys()].sort(), ['key_a', 'key_b'])
})

t.test('stopping sends the remaining uses, and an unreachable Redis is not reported again', async () => {
  const onError = (error: Error) => assert.ifError(error)
  const useLog = createUseLog(gateway.state, onError)
  useLog.used('key_a')
  await useLog.stop()
  assert.deepEqual([...(await readUses(gateway.control)).keys()], ['key_a'])

  const away = createUseLog({ ...gateway.state, isReady: () => false }, onError)
  away.used('key_b')
  away.start()
  await away.stop()
  assert.deepEqual([...(await readUses(gateway.control)).keys()], ['key_a'])
})
