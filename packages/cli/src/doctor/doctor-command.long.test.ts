import { need } from '@tollgate/sandbox/need.ts'
import { test } from 'tap'
import { identityFaults, mailFaults, paymentsFaults } from './testing/faults-of-services.ts'
import { otherFaults, settingsFaults } from './testing/faults-of-settings.ts'
import { databaseFaults, redisFaults } from './testing/faults-of-stores.ts'
import { assertFound, startWorld } from './testing/world.ts'

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
