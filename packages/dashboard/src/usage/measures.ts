/** What the usage page shows. The router loads this file with the first page, so it has nothing else. */
export const measures = [
  ['cost', 'Cost'],
  ['tokens', 'Tokens'],
  ['kinds', 'Tokens by kind'],
  ['requests', 'Requests'],
  ['errors', 'Errors'],
  ['latency', 'Latency']
] as const
export type Measure = (typeof measures)[number][0]
/** Measures of the ledger. They add up, unlike latency. */
export type SumMeasure = Exclude<Measure, 'latency'>

export const latencies = [
  ['first', 'First byte, median'],
  ['first95', 'First byte, 95 %'],
  ['whole', 'Duration, median'],
  ['whole95', 'Duration, 95 %']
] as const
export type LatencyName = (typeof latencies)[number][0]
