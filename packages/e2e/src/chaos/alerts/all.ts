import type { AlertFault } from './alert-fault.ts'
import { controlAlertFaults } from './control-faults.ts'
import { extraGatewayAlertFaults } from './extra-gateway-faults.ts'
import { processAlertFaults } from './process-faults.ts'
import { redisAlertFaults } from './redis-faults.ts'
import { upstreamAlertFaults } from './upstream-faults.ts'

/** All faults of alerts. Those that harm the others least come first. */
export const alertFaults: readonly AlertFault[] = [
  ...extraGatewayAlertFaults,
  ...upstreamAlertFaults,
  ...redisAlertFaults,
  ...controlAlertFaults,
  ...processAlertFaults
]

/** The alerts that a fault must raise. */
export const raisedBy = ({ raises, raisesAtEnd = [] }: AlertFault): string[] => [...raises, ...raisesAtEnd]
