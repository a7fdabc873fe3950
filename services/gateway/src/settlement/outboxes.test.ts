import assert from 'node:assert/strict'
import type { SettledRequest } from '@tollgate/state/settlement/settlement-sums.ts'
import type { PreparedAccount } from '@tollgate/state/wire/packed.ts'
import fc from 'fast-check'
import t from 'tap'
import { Outboxes } from './outboxes.ts'

const accountOf = (account: string) => ({ account }) as PreparedAccount
const requestOf = (id: number) => ({ id: String(id) }) as SettledRequest

t.test('every request is sent once, with its account, in commands of at most 40', async () => {
  const sizes = fc.array(fc.tuple(fc.nat({ max: 5 }), fc.nat({ max: 130 }), fc.constantFrom('', 'run')), {
    maxLength: 12
  })
  fc.assert(
    fc.property(sizes, (sizes) => {
      const outboxes = new Outboxes()
      const added: string[] = []
      let id = 0
      for (const [account, count, tried] of sizes) {
        const requests = Array.from({ length: count }, () => requestOf(id++))
        outboxes.addTried(accountOf(`a${account}`), requests, tried)
        added.push(...requests.map((request) => `a${account} ${tried} ${request.id}`))
      }
      const { settled } = outboxes.takeAll()
      const taken = settled.flat().flatMap(({ account, tried, requests }) => {
        return requests.map((request) => `${account.account} ${tried} ${request.id}`)
      })
      assert.deepEqual(taken.toSorted(), added.toSorted())
      for (const groups of settled) {
        const count = groups.reduce((sum, { requests }) => sum + requests.length, 0)
        assert.ok(count > 0 && count <= 40)
      }
      assert.deepEqual(outboxes.takeAll(), { settled: [], cancelled: [] })
    })
  )
})

t.test('cancellations are sent in commands of at most 40', async () => {
  const outboxes = new Outboxes()
  const ids = Array.from({ length: 85 }, (_, id) => String(id))
  outboxes.addCancelled(accountOf('a'), ids)
  const { cancelled } = outboxes.takeAll()
  assert.deepEqual(
    cancelled.map(({ ids }) => ids.length),
    [40, 40, 5]
  )
  assert.deepEqual(
    cancelled.flatMap(({ ids }) => ids),
    ids
  )
})
