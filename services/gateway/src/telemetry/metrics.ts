import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'

/** What a gateway counts. */
export interface Metrics {
  readonly registry: Registry
  /** Requests that cost more than the gateway had reserved. Alert on it: such requests can exceed a cap. */
  readonly aboveBound: Counter
  /** Counts a request that no upstream of this gateway can serve. Alert on it. */
  countUnavailable(model: string): void
  /** Counts holds that ended after their deadline. */
  countReaped(reaped: { charged: number; released: number }): void
  /** @param skewMs how far Redis' clock is ahead of this gateway's, ms; null removes the last value */
  setClockSkew(skewMs: number | null): void
}

/** Adds the metrics of the Node.js process. */
export function collectProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry })
}

/**
 * @param waiting returns how many settlements Redis has not acknowledged
 * @param bodyBytes returns how many bytes request bodies take
 */
export function createMetrics(waiting: () => number, bodyBytes: () => number): Metrics {
  const registry = new Registry()
  const registers = [registry]
  new Gauge({
    name: 'tollgate_settlements_waiting',
    help: 'Settlements that Redis has not acknowledged yet',
    registers,
    collect() {
      this.set(waiting())
    }
  })
  new Gauge({
    name: 'tollgate_request_body_bytes',
    help: 'Bytes that request bodies take; GATEWAY_BODY_MEMORY_MB limits them',
    registers,
    collect() {
      this.set(bodyBytes())
    }
  })
  const clockSkew = new Gauge({
    name: 'tollgate_clock_skew_seconds',
    help: "Seconds that another clock is ahead of this gateway's; below 0 if it is behind",
    labelNames: ['clock'],
    registers
  })
  const reaped = new Counter({
    name: 'tollgate_holds_reaped_total',
    help: 'Holds that were ended after their deadline',
    labelNames: ['done'],
    registers
  })
  const unavailable = new Counter({
    name: 'tollgate_model_unavailable_total',
    help: 'Refused requests for models that are routed only to upstreams that this gateway does not have',
    labelNames: ['model'],
    registers
  })
  return {
    registry,
    countUnavailable: (model) => unavailable.inc({ model }),
    countReaped({ charged, released }) {
      reaped.inc({ done: 'charged' }, charged)
      reaped.inc({ done: 'released' }, released)
    },
    setClockSkew(skewMs) {
      if (skewMs === null) clockSkew.remove({ clock: 'redis' })
      else clockSkew.set({ clock: 'redis' }, skewMs / 1000)
    },
    aboveBound: new Counter({
      name: 'tollgate_usage_above_bound_total',
      help: 'Requests that cost more than the gateway had reserved',
      registers
    })
  }
}
