import { need } from '@tollgate/sandbox/need.ts'
import { test } from 'tap'
import { databaseFaults } from './testing/faults/database.ts'
import { identityFaults } from './testing/faults/identity.ts'
import { mailFaults } from './testing/faults/mail.ts'
import { otherFaults } from './testing/faults/others.ts'
import { paymentsFaults } from './testing/faults/payments.ts'
import { redisFaults } from './testing/faults/redis.ts'
import { settingsFaults } from './testing/faults/settings.ts'
import { assertFound } from './testing/run-doctor.ts'
import { startWorld } from './testing/world.ts'

test('doctor', async (t) => {
  const world = await startWorld(t)
  if (!need(t, 'PostgreSQL and redis-server', world)) return
  for (const fault of [
    ...settingsFaults,
    ...databaseFaults,
    ...redisFaults,
    ...identityFaults,
    ...paymentsFaults,
    ...mailFaults,
    ...otherFaults
  ]) {
    await t.test(`tells if ${fault.name}`, async () => assertFound(world, [fault]))
  }
})
