import { setTimeout as delay } from 'node:timers/promises'
import type { Part } from '@tollgate/cli/system/part.ts'
import type { AlertFault, Restore } from './alert-fault.ts'
import { openStreams } from './open-streams.ts'

const suspendedMs = 150
const runningMs = 150

const kill = async (parts: readonly Part[]): Promise<Restore> => {
  await Promise.all(parts.map((part) => part.kill('SIGKILL')))
  return () => Promise.all(parts.map((part) => part.start()))
}
const partsOf = (replicas: ReadonlyArray<{ part: Part }>) => replicas.map(({ part }) => part)

/** Suspends a process again and again. */
function stutter(part: Part): Restore {
  let isRunning = true
  const stuttering = (async () => {
    while (isRunning) {
      await part.kill('SIGSTOP')
      await delay(suspendedMs)
      await part.kill('SIGCONT')
      await delay(runningMs)
    }
  })()
  return () => {
    isRunning = false
    return stuttering
  }
}

/** Faults of processes and clocks. */
export const processAlertFaults: readonly AlertFault[] = [
  {
    summary: 'a gateway is killed in the middle of streams',
    raises: ['GatewayDown', 'HoldsCharged'],
    mayRaise: ['RequestsFailing'],
    async inject(system) {
      const [gateway] = system.gateways as [(typeof system.gateways)[number]]
      await openStreams(system, gateway, 3)
      return kill([gateway.part])
    }
  },
  {
    summary: 'all gateways are killed',
    raises: ['NoGateway'],
    mayRaise: ['HoldsCharged'],
    inject: ({ gateways }) => kill(partsOf(gateways))
  },
  {
    summary: 'a replica of control is killed',
    raises: ['ControlDown'],
    inject: ({ controls }) => kill(partsOf(controls.slice(0, 1)))
  },
  {
    summary: 'all replicas of control are killed',
    raises: ['NoControl'],
    mayRaise: ['LedgerLag'],
    inject: ({ controls }) => kill(partsOf(controls))
  },
  {
    summary: 'control is killed, Redis is emptied, and a gateway starts again',
    raises: ['NoCatalog'],
    mayRaise: ['NoControl', 'GatewayDown', 'RequestsFailing', 'ShardsUnverified', 'HoldsCharged'],
    async inject({ controls, gateways, redis }) {
      const startControl = await kill(partsOf(controls))
      await redis.ask((client) => client.flushall())
      const [{ part }] = gateways as [(typeof gateways)[number]]
      await part.kill('SIGKILL')
      // It is ready only after control has started.
      const gateway = part.start()
      // Its error, if any, is that of the restore.
      gateway.catch(() => undefined)
      return () => Promise.all([startControl(), gateway])
    }
  },
  {
    summary: 'a gateway is suspended for 150 ms, again and again',
    raises: ['EventLoopSlow'],
    // It stands still half of the time, so some of its requests time out.
    mayRaise: ['RequestsFailing'],
    async inject({ gateways }) {
      return stutter(gateways[2]!.part)
    }
  },
  {
    summary: 'the clock of a gateway jumps two minutes ahead',
    raises: ['ClockSkew'],
    async inject({ clocks }) {
      clocks.move('gateway-3', 120)
      return () => clocks.move('gateway-3', 0)
    }
  }
]
