import { setTimeout as delay } from 'node:timers/promises'
import type { Fault } from '../fault.ts'

/** Processes of the services are killed or suspended. */
export const processFaults: readonly Fault[] = [
  {
    name: 'control-kill',
    summary: 'all replicas of control are killed (SIGKILL), and started again after 2 minutes',
    allowed: { retriesSucceed: true },
    async inject({ controls }) {
      await Promise.all(controls.map(({ part }) => part.kill('SIGKILL')))
      await delay(120_000)
      await Promise.all(controls.map(({ part }) => part.start()))
    }
  },
  {
    name: 'control-kill-one',
    summary: 'one replica of control is killed (SIGKILL), and started again after 10 s',
    allowed: { retriesSucceed: true },
    async inject({ controls }) {
      const [{ part }] = controls as [(typeof controls)[number]]
      await part.kill('SIGKILL')
      await delay(10_000)
      await part.start()
    }
  },
  {
    name: 'gateway-kill',
    summary: 'a gateway is killed (SIGKILL) in the middle of streams, and started again after 2 s',
    // Clients reach it before it is ready. A load balancer that checks `/readyz` would wait.
    allowed: { gatewaysDie: true, refusals: ['broken', '503 state_unavailable'] },
    async inject({ gateways }) {
      const [{ part }] = gateways as [(typeof gateways)[number]]
      await part.kill('SIGKILL')
      await delay(2000)
      await part.start()
    }
  },
  {
    name: 'gateway-stop',
    summary: 'a gateway is suspended (SIGSTOP) for 10 s',
    allowed: { refusals: ['503 state_unavailable'] },
    async inject({ gateways }) {
      const [{ part }] = gateways as [(typeof gateways)[number]]
      await part.kill('SIGSTOP')
      await delay(10_000)
      await part.kill('SIGCONT')
    }
  }
]
