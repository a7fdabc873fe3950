import type { AlertFault } from './alert-fault.ts'
import { controlAlertFaults } from './control-faults.ts'
import { processAlertFaults } from './process-faults.ts'
import { redisAlertFaults } from './redis-faults.ts'
import { upstreamAlertFaults } from './upstream-faults.ts'

/** All faults of alerts. Those that harm the others least come first. */
export const alertFaults: readonly AlertFault[] = [
  ...upstreamAlertFaults,
  ...redisAlertFaults,
  ...controlAlertFaults,
  ...processAlertFaults
]

/** The alerts that a fault must raise. */
export const raisedBy = ({ raises, raisesAtEnd = [] }: AlertFault): string[] => [...raises, ...raisesAtEnd]

/** Alerts that no fault here can raise, and why. `promtool test rules` tests them. */
export const notRaised: Readonly<Record<string, string>> = {
  FilesNearLimit: 'Node.js raises its limit of open files to the highest that the machine allows',
  WorkerEnded: 'the gateways of this system have no workers; worker-pool.test.ts of the gateway blocks one',
  VersionSkew: 'needs two releases of Tollgate'
}
