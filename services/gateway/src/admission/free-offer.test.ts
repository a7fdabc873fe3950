import assert from 'node:assert/strict'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { freeOfferName } from '@tollgate/state/keyspace/names.ts'
import { announceChange } from '@tollgate/state/projection/changes.ts'
import { putFreeClosing } from '@tollgate/state/projection/stored-catalog.ts'
import t from 'tap'
import { chatOf, outcomeOf, post } from '../testing/client.ts'
import { type FakeUpstream, startFakeUpstream } from '../testing/fake-upstream.ts'
import { startGateway, type TestGateway, testCatalog } from '../testing/start-gateway.ts'
import type { SeededKey } from '../testing/test-keys.ts'
import { followFreeOffer } from './free-offer.ts'

const { small } = testCatalog.models
const { free, pro } = testCatalog.plans
const gratis = { ...small!, prices: { inputPicos: 0, cachedInputPicos: 0, outputPicos: 0 } }
const catalog: Catalog = {
  models: { small: small!, gratis },
  plans: { free: { ...free!, models: ['small', 'gratis'] }, pro: { ...pro!, models: ['small'] } }
}

let upstream: FakeUpstream
let gateway: TestGateway
t.before(async () => {
  upstream = await startFakeUpstream()
  upstream.answer(({ response }) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ choices: [{ message: {} }], usage: { prompt_tokens: 10, completion_tokens: 20 } }))
  })
  gateway = await startGateway(upstream.url, { catalog })
})
t.teardown(async () => {
  await gateway.close()
  await upstream.close()
})

const send = ({ secret }: SeededKey, model = 'small') => post(gateway, secret, '/chat/completions', chatOf(model))
const ask = async (seeded: SeededKey, model = 'small') => outcomeOf(await send(seeded, model))
const refused = '402 free_spend_exhausted'

/** Tells gateways, as control does, and waits until this one knows. */
async function close(until: number, expected: string, seeded: SeededKey): Promise<void> {
  await putFreeClosing(gateway.control, until)
  await announceChange(gateway.control, { kind: 'free-offer' })
  while ((await ask(seeded)) !== expected);
}

t.test('while the free offer is closed, gateways refuse free accounts, and nobody else', async () => {
  const seeded = await gateway.seedKey()
  const paid = await gateway.seedKey({ account: { plan: 'pro' } })
  const granted = await gateway.seedKey({ account: { override: { limits: { monthlyNanos: 1e9, until: null } } } })
  const payer = await gateway.seedKey()
  assert.deepEqual([await ask(seeded), await ask(payer)], ['200', '200'])
  const until = Date.now() + 3_600_000
  await close(until, refused, seeded)

  const answer = await send(seeded)
  const { error } = (await answer.json()) as { error: Record<string, string> }
  assert.equal(error.resets_at, new Date(until).toISOString())
  const seconds = Number(answer.headers.get('retry-after'))
  assert.ok(seconds > 3500 && seconds <= 3600)
  assert.equal(answer.headers.get('x-should-retry'), 'false')

  assert.deepEqual([await ask(paid), await ask(granted)], ['200', '200'])
  assert.equal(await ask(seeded, 'gratis'), '200', 'a model that costs nothing')
  // This gateway remembers the free plan: Redis knows better.
  await gateway.changeAccount(payer, { plan: 'pro' })
  assert.equal(await ask(payer), '200')
  await gateway.changeAccount(payer, {})
  assert.equal(await ask(payer), refused)

  await close(0, '200', seeded)
})

t.test('a closing ends by itself at its time', async () => {
  const seeded = await gateway.seedKey()
  const until = Date.now() + 600
  await close(until, refused, seeded)
  while ((await ask(seeded)) === refused);
  assert.ok(Date.now() >= until)
})

t.test('a Redis that says nothing, or has an older copy, opens nothing that was closed', async () => {
  const { client } = gateway.control
  const until = Date.now() + 3_600_000
  await putFreeClosing(gateway.control, until)
  const offer = followFreeOffer(gateway.state, assert.ifError)
  /** Reads again. */
  const reread = async () => {
    await offer.stop()
    await offer.start()
    return offer.closedUntil()
  }
  await offer.start()
  assert.equal(offer.closedUntil(), until)
  await client.del(freeOfferName)
  assert.equal(await reread(), until)
  await client.set(freeOfferName, 'another-run|0')
  assert.equal(await reread(), until)
  assert.equal(await putFreeClosing(gateway.control, 0), true)
  assert.equal(await reread(), 0)
  assert.equal(await putFreeClosing(gateway.control, 0), false, 'nothing to announce')
  await offer.stop()
})
