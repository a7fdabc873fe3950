import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'

/** What a gateway counts. */
export type Metrics = {
  registry: Registry
  /** Requests for which an upstream reported more than had been reserved: an alarm, for then a cap can be passed. */
  aboveBound: Counter
  /** Holds that were past their deadline, by what was done with them: `charged` or `released`. */
  reaped: Counter<'done'>
  /** How far Redis' clock is ahead of this gateway's, ms; null removes what was said before. */
  setClockSkew(skewMs: number | null): void
}

/**
 * @param waiting how many settlements wait to be acknowledged
 * @param bodyBytes how many bytes are held for request bodies
 */
export function createMetrics(waiting: () => number, bodyBytes: () => number): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
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
    help: 'Bytes that are held for request bodies; GATEWAY_BODY_MEMORY_MB limits them',
    registers,
    collect() {
      this.set(bodyBytes())
    }
  })
  const clockSkew = new Gauge({
    name: 'tollgate_clock_skew_seconds',
    help: "How far another clock is ahead of this gateway's, below 0 if it is behind",
    labelNames: ['clock'],
    registers
  })
  return {
    registry,
    setClockSkew(skewMs) {
      if (skewMs === null) clockSkew.remove({ clock: 'redis' })
      else clockSkew.set({ clock: 'redis' }, skewMs / 1000)
    },
    aboveBound: new Counter({
      name: 'tollgate_usage_above_bound_total',
      help: 'Requests that cost more than had been reserved for them',
      registers
    }),
    reaped: new Counter({
      name: 'tollgate_holds_reaped_total',
      help: 'Holds that were ended after their deadline',
      labelNames: ['done'],
      registers
    })
  }
}
