import type { Fault } from '../fault.ts'
import { conditionFaults } from './conditions.ts'
import { poolerFaults } from './pooler.ts'
import { postgresFaults } from './postgres.ts'
import { processFaults } from './processes.ts'
import { redisFailovers } from './redis-failovers.ts'
import { redisFull } from './redis-full.ts'
import { redisLosses } from './redis-losses.ts'
import { redisNetwork } from './redis-network.ts'
import { redisPauses } from './redis-pauses.ts'
import { upstreamFaults } from './upstream.ts'

/** In the order of a whole run: those of one system follow each other. */
export const faults: readonly Fault[] = [
  ...redisPauses,
  ...redisNetwork,
  redisFull,
  ...redisLosses,
  ...redisFailovers,
  ...postgresFaults,
  ...processFaults,
  ...upstreamFaults,
  ...conditionFaults,
  ...poolerFaults
]
