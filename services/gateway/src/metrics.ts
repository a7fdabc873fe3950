import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'

/** What a gateway counts. */
export type Metrics = {
  registry: Registry
  /** Requests for which an upstream reported more than had been reserved: an alarm, for then a cap can be passed. */
  aboveBound: Counter
  /** Holds that were past their deadline, by what was done with them: `charged` or `released`. */
  reaped: Counter<'done'>
}

/** @param waiting how many settlements wait to be acknowledged */
export function createMetrics(waiting: () => number): Metrics {
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
  return {
    registry,
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
