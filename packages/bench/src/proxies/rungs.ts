/** The parts of the gateway, in the order in which `proxies/rung.ts` adds them. */
export const rungs = [
  'relay',
  'authentication',
  'body',
  'bound',
  'admission',
  'settlement',
  'receipt',
  'log',
  'metrics',
  'idempotency'
] as const
export type Rung = (typeof rungs)[number]
