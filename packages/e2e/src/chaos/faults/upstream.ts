import { setTimeout as delay } from 'node:timers/promises'
import type { Fault } from '../fault.ts'

/** The provider is unreachable. */
export const upstreamFaults: readonly Fault[] = [
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
