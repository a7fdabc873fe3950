/** The parts of the gateway, in the order in which `proxies/rung.ts` adds them, and what a report calls each step. */
export const rungLabels = {
  relay: 'Fastify and our relay',
  authentication: '+ authentication',
  body: '+ body and its members',
  bound: '+ bound of the cost, headers',
  admission: '+ admission in Redis',
  settlement: '+ price and settlement in Redis',
  receipt: '+ receipt',
  log: '+ log line',
  metrics: '+ metrics',
  idempotency: '+ Idempotency-Key'
}

export type Rung = keyof typeof rungLabels
export const rungs = Object.keys(rungLabels) as readonly Rung[]
