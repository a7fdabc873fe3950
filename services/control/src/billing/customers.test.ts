import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { ensurePersonalAccount } from '../accounts/account-plan.ts'
import { onDatabase, openMigratedDatabase } from '../testing/databases.ts'
import { syncUser } from '../users/adopt-user.ts'
import { storeCustomer } from './customers.ts'
import { catalog } from './testing/subscriptions.ts'

onDatabase('customers', async (t, newDatabase) => {
  const database = await openMigratedDatabase(await newDatabase())
  t.after(() => database.close())
  const { orm } = database
  const now = new Date('2026-11-22T12:00:00Z')

  async function newAccount(): Promise<string> {
    const id = randomUUID()
    await orm.transaction(async (tx) => {
      await syncUser(
        tx,
        {
          id,
          email: `${id}@example.com`,
          name: 'Ada',
          plan: null,
          isOperator: false,
          operatorRoles: null,
          isBanned: false
        },
        now
      )
      await ensurePersonalAccount(tx, catalog, id, now)
    })
    return id
  }

  await t.test('concurrent calls that store the same customer succeed', async () => {
    for (let round = 0; round < 50; round++) {
      const account = await newAccount()
      const customer = `cus_${round}`
      const store = () => storeCustomer(orm, account, customer, { now, replaces: null })
      const stored = await Promise.all(Array.from({ length: database.connections }, store))
      assert.deepEqual(new Set(stored), new Set([customer]))
    }
  })

  await t.test('the customer of one account cannot become that of another', async () => {
    const [one, other] = [await newAccount(), await newAccount()]
    await storeCustomer(orm, one, 'cus_of_one', { now, replaces: null })
    await assert.rejects(storeCustomer(orm, other, 'cus_of_one', { now, replaces: null }))
  })
})
