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

/** Alerts that no fault here can raise, and why. `promtool test rules` tests them. */
export const notRaised: Readonly<Record<string, string>> = {
  FilesNearLimit: 'Node.js raises its limit of open files to the highest that the machine allows',
  VersionSkew: 'needs two releases of Tollgate'
}
