import { setTimeout as delay } from 'node:timers/promises'
import type { Fault } from '../fault.ts'
import { findPgbouncer, startPgbouncer } from '../system/pgbouncer.ts'
import { clockFaults } from './clocks.ts'
import { controlCut } from './control-cut.ts'
import { controlKilledSending } from './control-killed-sending.ts'
import { counterTrouble } from './counter-trouble.ts'
import { cutRepeats } from './cut-repeats.ts'
import { failingUpstreamFaults } from './failing-upstream.ts'
import { freeBudgetAgain } from './free-budget-again.ts'
import { freeSpend } from './free-spend.ts'
import { hangUps } from './hang-ups.ts'
import { hostileWebhooks } from './hostile-webhooks.ts'
import { keyChurn } from './key-churn.ts'
import { killedRepeats } from './killed-repeats.ts'
import { monthEnd } from './month-end.ts'
import { paymentsHang } from './payments-hang.ts'
import { postgresFaults } from './postgres.ts'
import { processFaults } from './processes.ts'
import { redisFailovers } from './redis-failovers.ts'
import { redisHangs } from './redis-hangs.ts'
import { redisLosses } from './redis-losses.ts'
import { redisNetwork } from './redis-network.ts'
import { redisOlderCopy } from './redis-older-copy.ts'
import { tokenRateDebt } from './token-rate-debt.ts'

const hour = 3600
const lastsMs = 10_000

const clocks = (name: string, gateway: number, control: number, summary: string): Fault => ({
  name,
  summary,
  conditions: { clocksAheadSeconds: { gateway, control } },
  allowed: { retriesSucceed: true },
  inject: () => delay(lastsMs).then(() => undefined)
})

/** Conditions from the start, and an emptied Redis under many replicas. */
const conditionFaults: readonly Fault[] = [
  clocks(
    'clock-ahead',
    hour,
    -hour,
    'the wall clock of one gateway is an hour ahead, that of one replica of control an hour behind'
  ),
  clocks(
    'clock-behind',
    -hour,
    hour,
    'the wall clock of one gateway is an hour behind, that of one replica of control an hour ahead'
  ),
  {
    name: 'replicas',
    summary: 'four replicas of control run all background loops, and an operator runs FLUSHALL',
    conditions: { controls: 4 },
    allowed: { redisLosesData: true, refusals: ['503 state_unavailable'] },
    async inject({ redis }, loseData) {
      await loseData(() => redis.ask((client) => client.flushall()))
    }
  }
]

/** The provider is unreachable. */
const upstreamFaults: readonly Fault[] = [
  {
    name: 'upstream-cut',
    summary: 'all connections to the model provider are reset, and new ones for 5 s',
    allowed: {
      upstreamBreaks: true,
      refusals: [
        '502 upstream_unreachable',
        '502 upstream_error',
        'broken upstream_error',
        'broken upstream_unreachable',
        'broken'
      ]
    },
    async inject({ upstream }) {
      upstream.cut()
      await delay(5000)
      upstream.restore()
    }
  },
  {
    name: 'upstream-silent',
    summary: 'packets between gateways and the model provider are dropped for 5 s',
    allowed: { retriesSucceed: true },
    async inject({ upstream }) {
      upstream.drop()
      await delay(5000)
      upstream.restore()
    }
  }
]

/** PostgreSQL behind a pooler in transaction mode: no session state, five connections for all replicas. */
const poolerFaults: readonly Fault[] = [
  {
    name: 'pooler',
    summary: 'control reaches PostgreSQL through pgbouncer in transaction mode, and all connections are lost once',
    conditions: { startPooler: startPgbouncer },
    missing: () => (findPgbouncer() === null ? 'pgbouncer is not installed' : null),
    allowed: { retriesSucceed: true },
    async inject({ sql }) {
      await delay(5000)
      await sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where backend_type = 'client backend' and pid <> pg_backend_pid()`
      await delay(5000)
    }
  }
]

const unavailable = ['503 state_unavailable']

/** Redis is suspended. Its connections stay open. */
const pauseOf = (seconds: number): Fault => ({
  name: `redis-pause-${seconds}s`,
  summary: `Redis is suspended (SIGSTOP) for ${seconds} s`,
  allowed: { refusals: unavailable, retriesSucceed: seconds <= 3 },
  async inject({ redis }) {
    await redis.kill('SIGSTOP')
    await delay(seconds * 1000)
    await redis.kill('SIGCONT')
  }
})

const redisPauses: readonly Fault[] = [1, 3, 10, 60].map(pauseOf)

/** Reservations, settlements and revocations work while Redis stores no new data. */
const redisFull: Fault = {
  name: 'redis-full',
  summary: 'Redis is at maxmemory with noeviction for 10 s',
  allowed: { refusals: ['503 state_unavailable'] },
  async inject({ redis }) {
    await redis.ask((client) => client.config('SET', 'maxmemory', '1mb'))
    await delay(10_000)
    await redis.ask((client) => client.config('SET', 'maxmemory', '0'))
  }
}

/** All faults, in the order of a full run. Faults that share a system stand together. */
export const faults: readonly Fault[] = [
  ...redisPauses,
  ...redisNetwork,
  cutRepeats,
  redisFull,
  ...redisLosses,
  redisOlderCopy,
  ...redisFailovers,
  ...redisHangs,
  tokenRateDebt,
  ...postgresFaults,
  ...processFaults,
  controlKilledSending,
  hostileWebhooks,
  paymentsHang,
  controlCut,
  keyChurn,
  freeSpend,
  freeBudgetAgain,
  ...upstreamFaults,
  ...failingUpstreamFaults,
  counterTrouble,
  hangUps,
  killedRepeats,
  ...conditionFaults,
  ...clockFaults,
  monthEnd,
  ...poolerFaults
]
